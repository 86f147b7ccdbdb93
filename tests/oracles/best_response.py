"""The value of a best response to a policy, by recursion over the whole game tree, for games that cannot cycle."""


def best_response_value(position, seat, probabilities, known=None):
    """Return the expected result, from -1 to 1, of the opponent of a player in the given seat, who follows a policy.

    Args:
        position: The position.
        seat: The seat of the player with the policy, 0 or 1.
        probabilities: A function from a position to ``{action: probability}``.
        known: The values that were found before.
    """
    known = {} if known is None else known
    if position not in known:
        known[position] = _value(position, seat, probabilities, known)
    return known[position]


def _value(position, seat, probabilities, known):
    if position.result is not None:
        return -position.result if position.to_move == seat else position.result

    def after(action):
        return best_response_value(position.play(action), seat, probabilities, known)

    if position.to_move == seat:
        return sum(share * after(action) for action, share in probabilities(position).items() if share)
    return max(map(after, position.legal_actions()))


def limited_response_value(position, seat, probabilities, plies, known=None):
    """Return :func:`best_response_value` of a game that is a draw after a number of plies. It can have cycles."""
    known = {} if known is None else known
    key = position, plies
    if key not in known:
        if position.result is not None or plies == 0:
            known[key] = 0 if position.result is None else _value(position, seat, probabilities, {})
        else:
            results = {
                action: limited_response_value(position.play(action), seat, probabilities, plies - 1, known)
                for action in position.legal_actions()
            }
            if position.to_move == seat:
                known[key] = sum(share * results[action] for action, share in probabilities(position).items() if share)
            else:
                known[key] = max(results.values())
    return known[key]

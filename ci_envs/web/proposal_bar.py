"""The bar of a game's page that shows an open proposal, with buttons to accept, decline and withdraw it."""

from collections.abc import Awaitable, Callable, Collection, Mapping

from nicegui import ui

from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.players import player_label
from ci_envs.web.proposals import Kind, open_proposal

_TEXTS: Mapping[Kind, str] = {"draw": "a draw", "takeback": "to take back a move", "rematch": "a rematch"}


class ProposalBar:
    """The bar with the open proposal. It is hidden while there is none."""

    def __init__(
        self, on_accept: Callable[[Kind], Awaitable[object]], on_decline: Callable[[], Awaitable[object]]
    ) -> None:
        """Make the bar in the current element.

        Args:
            on_accept: Called with the kind of the proposal to accept.
            on_decline: Called to decline or withdraw the proposal.
        """
        self._on_accept = on_accept
        self._kind: Kind = "draw"
        with ui.row().classes("proposal") as self._row:
            self._text = ui.label().props("role=status aria-live=polite")
            self._accept = ui.button("Accept", icon="check", on_click=self._click).props("dense no-caps")
            self._decline = ui.button("Decline", icon="close", on_click=on_decline).props("flat dense no-caps")

    async def _click(self) -> None:
        await self._on_accept(self._kind)

    def show(self, hosted: HostedGame, held: Collection[int]) -> None:
        """Show the open proposal of a game to a visitor who has some seats."""
        proposal = open_proposal(hosted)
        self._row.set_visibility(proposal is not None and bool(held))
        if proposal is None:
            return
        self._kind, own = proposal.kind, proposal.player in held
        proposer = "You propose" if own else f"{player_label(hosted, proposal.player, held)} proposes"
        self._text.set_text(f"{proposer} {_TEXTS[proposal.kind]}.")
        self._accept.set_visibility(not own)
        self._decline.set_text("Withdraw" if own else "Decline")

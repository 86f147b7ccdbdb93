"""AlphaZero: a network that learns from the games of a search that it guides.

Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play", Science
362, 2018.
"""

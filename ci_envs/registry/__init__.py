"""Names and options of games, agents, trainers, solvers and problems."""

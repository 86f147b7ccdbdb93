"""Report A, the first course report (2023/24): set covering, Nim, a black box, tic-tac-toe and Quixo."""

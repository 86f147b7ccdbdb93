"""Report B, the second course report (2022/23): set covering, Nim and Quarto."""

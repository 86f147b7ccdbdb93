"""Pictures: shapes, boards and marks as SVG and as pixels. This code does not depend on the rules of a game."""

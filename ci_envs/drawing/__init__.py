"""Pictures: shapes, boards and marks as SVG, and their pixels. Nothing here knows the rules of a game."""

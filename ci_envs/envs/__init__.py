"""The standard APIs over the rules: one class each, for any game."""

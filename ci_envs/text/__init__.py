"""Games in words: prompts for language models, and the actions that their replies name."""

"""Playing in the browser: games that outlive the server, agents that play and think aloud, and how to ask for it."""

"""The page to play in the browser and the REST API. Games are kept when the server restarts."""

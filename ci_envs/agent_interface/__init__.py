"""The agent interface, compiled policies, and the creation of agents from spec strings."""

"""The agent interface, policies in compiled code, and making an agent from its spec string."""

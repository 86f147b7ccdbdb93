"""The command line ``ci-envs``: one module per command, and what the commands share."""

"""The command line ``ci-envs``: one module per command, and modules that the commands share."""

"""``python -m ci_envs``: the command line."""

from ci_envs.cli.main import main

if __name__ == "__main__":
    main(prog_name="ci-envs")

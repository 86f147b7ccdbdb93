"""PettingZoo's tutorial for Stable-Baselines3: MaskablePPO on Connect Four, with only the import changed.

Run it with ``make integration-pettingzoo``. It takes two or three minutes. The script downloads the tutorial from
PettingZoo's repository and replaces the line ``from pettingzoo.classic import connect_four_v3`` by an import of our
Connect Four. The rest of the tutorial is unchanged: 20,480 steps of training, 100 games against the random player, and
two games in a window. By default, SDL_VIDEODRIVER=dummy hides the window.

Without access to GitHub, download the tutorial elsewhere and give its path: ``python
examples/integrations/pettingzoo_tutorial.py FILE``.
"""

import os
import runpy
import sys
import tempfile
import urllib.request
from pathlib import Path

COMMIT = "fd63f509dd96ed98c812f4b13e6070782bd9e47d"
TUTORIAL = (
    f"https://raw.githubusercontent.com/Farama-Foundation/PettingZoo/{COMMIT}"
    "/tutorials/SB3/connect_four/sb3_connect_four_action_mask.py"
)
THEIRS = "from pettingzoo.classic import connect_four_v3\n"
OURS = "from ci_envs import connect_four_v0 as connect_four_v3\n"
MIN_WIN_RATE = 0.6
"""The minimum share of won games among the decided games. The comments of the tutorial report about 0.8."""


def source() -> str:
    """Return the source of the tutorial, from the file in the first argument or from PettingZoo's repository."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1]).read_text()
    with urllib.request.urlopen(TUTORIAL, timeout=60) as response:
        return str(response.read().decode())


def main() -> None:
    """Run the tutorial, and evaluate its model once more."""
    original = source()
    assert original.count(THEIRS) == 1, "the tutorial does not import connect_four_v3"
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the tutorial saves its model in the current folder
        Path("tutorial.py").write_text(original.replace(THEIRS, OURS))
        tutorial = runpy.run_path("tutorial.py", run_name="__main__")
        _, _, win_rate, _ = tutorial["eval_action_mask"](tutorial["env_fn"], num_games=100)
        os.chdir("/")
    if win_rate < MIN_WIN_RATE:
        raise SystemExit(
            f"The model of the tutorial won {win_rate:.0%} of the decided games. The minimum is {MIN_WIN_RATE:.0%}."
        )


if __name__ == "__main__":
    main()

"""PettingZoo's tutorial for Stable-Baselines3: MaskablePPO on Connect Four, with nothing changed but the import.

Run it with ``make integration-pettingzoo``. It takes two or three minutes. The tutorial is downloaded from PettingZoo's
repository; its line ``from pettingzoo.classic import connect_four_v3`` becomes an import of our Connect Four, and the
rest runs as it is: 20,480 steps of training, 100 games against the random player, and two games in a window (or no
window, with SDL_VIDEODRIVER=dummy, which is the default here).
"""

import os
import runpy
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
ENOUGH = 0.6
"""The least share of decided games to be won; about 0.8 is normal, as the tutorial says."""


def main() -> None:
    """Run the tutorial, then evaluate its model once more."""
    with urllib.request.urlopen(TUTORIAL, timeout=60) as response:
        source = response.read().decode()
    assert source.count(THEIRS) == 1, "the tutorial does not import connect_four_v3"
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where the tutorial keeps its model
        Path("tutorial.py").write_text(source.replace(THEIRS, OURS))
        tutorial = runpy.run_path("tutorial.py", run_name="__main__")
        _, _, win_rate, _ = tutorial["eval_action_mask"](tutorial["env_fn"], num_games=100)
        os.chdir("/")
    if win_rate < ENOUGH:
        raise SystemExit(
            f"the model of the tutorial wins {win_rate:.0%} of the decided games, not {ENOUGH:.0%} or more"
        )


if __name__ == "__main__":
    main()

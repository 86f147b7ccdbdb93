"""The scripts for other libraries, compared with their description. ``make integrations`` runs the scripts."""

import re
import subprocess
from pathlib import Path

import gymnasium
import pytest
from pettingzoo.utils import BaseWrapper

from ci_envs import connect_four_v0

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "integrations"
REQUIREMENTS = {path.stem: path for path in (FOLDER / "requirements").glob("*.txt")}
SCRIPTS = {path.stem.split("_")[0]: path for path in FOLDER.glob("*_*.py")}


TUTORIAL = ROOT / "docs" / "tutorials" / "other_libraries.py"


def tutorial_row(name):
    """Return the single row of the tutorial's table with the command for ``name``."""
    rows = [line for line in TUTORIAL.read_text().splitlines() if f"`make integration-{name}`" in line]
    assert len(rows) == 1
    return rows[0]


def pins(name):
    """Return the versions by package. Every line is an exact pin or a comment."""
    lines = [line for line in REQUIREMENTS[name].read_text().splitlines() if not line.startswith("#")]
    return dict(re.fullmatch(r"([\w-]+)(?:\[\w+\])?==([\d.]+)", line).groups() for line in lines)


def test_every_script_has_its_requirements():
    assert (
        SCRIPTS.keys() == REQUIREMENTS.keys() >= {"tianshou", "torchrl", "rllib", "agilerl", "sb3", "rlzoo3", "minari"}
    )
    assert len(SCRIPTS) == len(list(FOLDER.glob("*_*.py")))


@pytest.mark.parametrize("name", REQUIREMENTS)
class TestEachIntegration:
    def test_the_tutorial_links_its_script(self, name):
        assert f"](../../{SCRIPTS[name].relative_to(ROOT)})" in tutorial_row(name)

    def test_the_tutorial_states_the_pinned_versions(self, name):
        stated = dict(re.findall(r"([\w-]+) (\d+(?:\.\d+)+)", tutorial_row(name)))
        assert stated
        assert stated.items() <= pins(name).items()

    def test_torch_is_pinned_where_it_is_needed(self, name):
        assert ("torch" in pins(name)) == (
            name not in ("minari", "textarena", "verifiers")
        )  # the first package, by its exact version (Makefile)

    def test_the_script_says_how_to_run_it(self, name):
        source = SCRIPTS[name].read_text()
        compile(source, SCRIPTS[name], "exec")
        assert f"``make integration-{name}``" in source.partition('"""\n\n')[0]

    def test_make_runs_it(self, name):
        command = ["make", "--no-print-directory", "--dry-run", f"integration-{name}"]
        recipe = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        assert recipe[-1].startswith(f".venv-{name}/bin/python examples/integrations/{name}_")


class PlainObservations(BaseWrapper, gymnasium.Env):
    """An AEC environment with the interface of Gymnasium: each step is one ply, and observations have no mask."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        first = self.possible_agents[0]
        self.observation_space = BaseWrapper.observation_space(self, first)["observation"]
        self.action_space = BaseWrapper.action_space(self, first)
        return self.observe(self.agent_selection), {}

    def step(self, action):
        mover = self.agent_selection
        super().step(action)
        ended = self.terminations[mover], self.truncations[mover]
        return self.observe(self.agent_selection), self._cumulative_rewards[mover], *ended, self.infos[mover]

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def action_masks(self):
        return super().observe(self.agent_selection)["action_mask"]


def test_maskable_ppo_trains_and_plays_by_the_calls_of_pettingzoos_tutorial(tmp_path):
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from sb3_contrib.common.wrappers import ActionMasker

    env = PlainObservations(connect_four_v0.env())
    env.reset(seed=0)
    masked = ActionMasker(env, lambda env: env.action_masks())
    learner = sb3_contrib.MaskablePPO("MlpPolicy", masked, n_steps=64, n_epochs=1, seed=0, device="cpu")
    learner.learn(128)
    learner.save(tmp_path / f"{masked.unwrapped.metadata['name']}.zip")
    env.close()

    model = sb3_contrib.MaskablePPO.load(tmp_path / "connect_four_v0.zip")
    env = connect_four_v0.env(render_mode="ansi")
    for seed in range(3):
        env.reset(seed=seed)
        env.action_space(env.possible_agents[0]).seed(seed)
        for agent in env.agent_iter():
            observed, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                break
            planes, mask = observed.values()
            if agent == env.possible_agents[0]:
                action = env.action_space(agent).sample(mask)
            else:
                action = int(model.predict(planes, action_masks=mask, deterministic=True)[0])
            assert mask[action]
            env.step(action)
        assert sum(env.rewards.values()) == 0
        assert max(env.rewards.values()) == 1 or not env.unwrapped.position.legal_actions()
    env.close()

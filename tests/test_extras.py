"""Messages about missing packages."""

from importlib import metadata

import pytest

from ci_envs import extras
from ci_envs.extras import extras_with, install_command, missing_module, missing_package


class Distribution:
    """An installed distribution with the given origin (``direct_url.json``)."""

    def __init__(self, origin):
        self._origin = origin
        self.requires = metadata.distribution("ci-envs").requires

    def read_text(self, name):
        assert name == "direct_url.json"
        return self._origin


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ('{"dir_info": {"editable": true}, "url": "file:///home/me/ci_envs"}', 'pip install -e ".[sb3]"'),
        ('{"dir_info": {}, "url": "file:///home/me/ci_envs"}', 'pip install "ci-envs[sb3] @ file:///home/me/ci_envs"'),
        (
            '{"archive_info": {}, "url": "file:///tmp/ci_envs-0.1.0-py3-none-any.whl"}',
            'pip install "ci-envs[sb3] @ file:///tmp/ci_envs-0.1.0-py3-none-any.whl"',
        ),
        (None, 'pip install "ci-envs[sb3]"'),
    ],
)
def test_the_command_fits_how_the_package_was_installed(origin, command, monkeypatch):
    monkeypatch.setattr(extras, "distribution", lambda name: Distribution(origin))
    assert install_command("sb3") == command
    assert missing_package("agent 'sb3'", "torch", "sb3") == (
        f"agent 'sb3' needs torch: install the extra 'sb3', for example {command}"
    )


def test_the_extra_is_found_by_the_missing_module():
    assert extras_with("highspy")[0] == "ilp"  # and not one that has everything
    assert {"alphazero", "sb3", "torch"} <= set(extras_with("torch"))
    error = ImportError("No module named 'torch'", name="torch")
    assert "install the extra 'sb3'" in missing_module("agent 'sb3'", error, "sb3")
    assert "install the extra 'alphazero'" in missing_module("agent 'alphazero'", error, "alphazero")
    assert "install the extra 'render'" in missing_module("a GIF", ImportError(name="PIL.Image"))
    assert missing_module("agent 'x'", ImportError("No module named 'y'", name="y")) == (
        "agent 'x' needs what is not installed: No module named 'y'"
    )


def test_without_metadata_the_plain_message_is_left(monkeypatch):
    def fail(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", fail)
    assert missing_module("agent 'x'", ImportError("No module named 'torch'", name="torch")).endswith("'torch'")
    assert install_command("sb3") == 'pip install "ci-envs[sb3]"'

"""The steps of a learner: Muon, and the loss of the value."""

import numpy as np
import pytest
import torch

from ci_envs import ConnectN, Quixo
from ci_envs.agents.alphazero.architecture import ARCHITECTURES, Architecture
from ci_envs.agents.alphazero.exact_targets import ExactTargets
from ci_envs.agents.alphazero.learner import Learner
from ci_envs.agents.alphazero.muon import Muon, orthogonal
from ci_envs.agents.alphazero.network import new_network
from ci_envs.agents.alphazero.replay import Replay

GAME = ConnectN(3, 3, 3)


def exact_samples(count):
    rng = np.random.default_rng(0)
    replay = Replay(GAME, count)
    replay.add(ExactTargets(GAME, "exact").sample(count, rng), rng)
    return replay


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(8, 8), (32, 288), (96, 20), (5, 1)], ids=str)
def test_a_step_of_muon_has_the_directions_of_the_gradient_and_equal_lengths_in_them(shape, dtype):
    """NumPy's singular value decomposition finds the directions."""
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(dtype)
    left, lengths, right = np.linalg.svd(matrix.double().numpy(), full_matrices=False)
    assert lengths.min() > 0.01 * np.linalg.norm(lengths)
    found = left.T @ orthogonal(matrix).double().numpy() @ right.T
    assert np.diag(found).min() > 0.65
    assert np.diag(found).max() < 1.25
    np.testing.assert_allclose(found, np.diag(np.diag(found)), atol=1e-4)


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="PyTorch 2.9 was the first version with Muon")
def test_muon_takes_the_steps_of_pytorch():
    """PyTorch takes matrices alone, and rounds to 8 bits of precision on the way."""
    rng = torch.Generator().manual_seed(1)
    first = torch.randn((12, 3, 3, 3), generator=rng)
    ours, theirs = torch.nn.Parameter(first.clone()), torch.nn.Parameter(first.clone().flatten(1))
    optimizers = (
        Muon([ours], lr=0.01, weight_decay=0.4),
        torch.optim.Muon([theirs], lr=0.01, weight_decay=0.4, adjust_lr_fn="match_rms_adamw"),
    )
    for _ in range(20):
        ours.grad = torch.randn(first.shape, generator=rng)
        theirs.grad = ours.grad.flatten(1)
        for optimizer in optimizers:
            optimizer.step()
    moved = (ours.flatten(1) - first.flatten(1) * (1 - 0.01 * 0.4) ** 20).norm()
    assert (ours.flatten(1) - theirs).norm() < 0.03 * moved


@pytest.mark.parametrize(
    ("architecture", "matrices"),
    [(ARCHITECTURES["32x3"], 7), (Architecture(8, 2, layout="lines"), 9), (ARCHITECTURES["unpadded"], 2)],
    ids=["32x3", "lines", "unpadded"],
)
def test_muon_moves_the_matrices_of_the_body_and_adamw_the_rest(architecture, matrices):
    network = new_network(Quixo(5), architecture, 0)
    learner = Learner(network, 0.4)
    replay = Replay(Quixo(5), 4)
    replay.add(np.zeros(4, replay.samples.dtype), np.random.default_rng(0))
    before = network.weights()
    learner.learn(replay, 1, 4, 1e-3, np.random.default_rng(0))
    state = learner.state()
    assert sum(name.endswith(".momentum") for name in state) == matrices
    trained = [name for name, _ in network.named_parameters()]
    assert sum(name.endswith(".exp_avg") for name in state) == len(trained) - matrices
    assert any(not np.array_equal(before[name], network.weights()[name]) for name in trained)


def test_adamw_alone_is_an_option():
    learner = Learner(new_network(GAME, ARCHITECTURES["32x3"], 0), 0.4, optimizer="adamw")
    learner.learn(exact_samples(16), 1, 16, 1e-3, np.random.default_rng(0))
    assert not any(name.endswith(".momentum") for name in learner.state())


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_restored_learner_continues_as_if_it_had_not_stopped(optimizer):
    replay, networks = exact_samples(64), []
    for stops in (False, True):
        learner = Learner(new_network(GAME, ARCHITECTURES["32x3"], 0), 0.4, optimizer=optimizer)
        learner.learn(replay, 3, 16, 1e-2, np.random.default_rng(0))
        if stops:
            state = learner.state()
            learner = Learner(new_network(GAME, ARCHITECTURES["32x3"], 1), 0.4, optimizer=optimizer)
            learner.restore(state)
        learner.learn(replay, 3, 16, 1e-2, np.random.default_rng(1))
        networks.append(learner.network.weights())
    for name, weights in networks[0].items():
        np.testing.assert_array_equal(networks[1][name], weights)


def gradients(value_loss, logit, value):
    """Return the gradient of the loss with respect to the last bias of the value, for a network with this logit."""
    network = new_network(GAME, ARCHITECTURES["32x3"], 0)
    with torch.no_grad():
        network.value[5].weight.zero_()
        network.value[5].bias.fill_(logit)
    replay = Replay(GAME, 8)
    samples = exact_samples(8).samples.copy()
    samples["value"] = value
    replay.add(samples, np.random.default_rng(0))
    learner = Learner(network, 0.0, value_loss=value_loss)
    loss = learner.learn(replay, 1, 8, 1e-9, np.random.default_rng(0))
    assert loss.value == pytest.approx((np.tanh(logit) - value) ** 2, rel=1e-4)  # whatever the network learns from
    return learner.network.value[5].bias.grad.item()


@pytest.mark.extended
@pytest.mark.parametrize("value", [-1.0, -0.3, 0.9])
def test_the_cross_entropy_also_moves_a_network_that_is_sure_and_wrong(value):
    """With p = (1 + tanh x) / 2, the derivative of 2 (-t log p - (1 - t) log(1 - p)) is 4 (p - t)."""
    for logit in (0.0, 1.5, 4.0, -6.0):
        expected = 2 * (np.tanh(logit) - value)
        assert gradients("cross_entropy", logit, value) == pytest.approx(expected, rel=1e-3)
        assert gradients("squared_error", logit, value) == pytest.approx(expected / np.cosh(logit) ** 2, rel=1e-2)


@pytest.mark.extended
@pytest.mark.parametrize("value_loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_diverging_network_ends_the_training_with_a_clear_error(optimizer, value_loss):
    network = new_network(GAME, ARCHITECTURES["32x3"], 0)
    learner = Learner(network, 0.0, optimizer=optimizer, value_loss=value_loss)
    with pytest.raises(FloatingPointError, match="the training diverged at a learning rate of 1e"):
        learner.learn(exact_samples(16), 20, 16, 1e30, np.random.default_rng(0))

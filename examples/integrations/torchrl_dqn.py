"""TorchRL: one deep Q-network learns by playing both sides of tic-tac-toe, with PettingZooWrapper.

Run it with ``make integration-torchrl``. It takes half a minute.
"""

import warnings

import numpy as np
import torch
from exam import examine
from numpy.typing import NDArray
from tensordict import TensorDict
from tensordict.nn import TensorDictSequential
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.envs import MarlGroupMapType, PettingZooWrapper
from torchrl.modules import EGreedyModule, QValueActor
from torchrl.objectives import DQNLoss, SoftUpdate

import ci_envs
from ci_envs.agents import Observation

PLIES = 8_000
PLANES = ("agents", "observation", "observation")
MASK = ("agents", "action_mask")
ACTION = ("agents", "action")

torch.manual_seed(0)
torch.set_num_threads(1)  # more threads are slower, because the network is small
warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested using version")

# both players in one group: every tensor has a dimension of two, and "mask" marks the player to move
group = MarlGroupMapType.ALL_IN_ONE_GROUP
env = PettingZooWrapper(ci_envs.make("TicTacToe-v0"), use_mask=True, group_map=group)


class Net(nn.Sequential):
    """A network from the planes that the player to move observes (int8) to the values of the actions."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(18, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 9))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the values of the actions on any number of boards."""
        return super().forward(input.flatten(-3).float())


actor = QValueActor(
    Net(),
    in_keys=[PLANES],
    spec=env.action_spec,
    action_key=ACTION,
    action_value_key=("agents", "action_value"),
    chosen_action_value_key=("agents", "chosen_action_value"),
    action_mask_key=MASK,
    strict_shape=False,
)
explore = EGreedyModule(env.action_spec, eps_init=0.2, eps_end=0.2, action_key=ACTION, action_mask_key=MASK)
loss = DQNLoss(actor, action_space=env.action_spec, delay_value=True)
loss.set_keys(
    action=ACTION,
    action_value=("agents", "action_value"),
    value=("agents", "chosen_action_value"),
    reward=("agents", "reward"),
    done=("agents", "done"),
    terminated=("agents", "terminated"),
)
loss.make_value_estimator(gamma=0.97)
target = SoftUpdate(loss, tau=0.02)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
memory = ReplayBuffer(storage=LazyTensorStorage(PLIES), batch_size=128)


def moves_of(plies: TensorDict) -> TensorDict:
    """Return the transitions of each player. The next state is the board at the next turn of this player."""
    ply, reply = plies[:-1], plies[1:]
    mover = ply["agents", "mask"]
    after, later = ply["next", "agents"][mover], reply["next", "agents"][mover]
    over = after["done"]
    for key in ("reward", "done", "terminated"):
        later[key] = torch.where(over, after[key], later[key])
    return TensorDict({"agents": ply["agents"][mover], "next": {"agents": later}}, batch_size=[len(ply)])


collector = Collector(
    env,
    TensorDictSequential(actor, explore),
    frames_per_batch=100,
    total_frames=PLIES,
    auto_register_policy_transforms=False,  # the policy has no state
)
for plies in collector:
    memory.extend(moves_of(plies))
    for _ in range(12):
        optimizer.zero_grad()
        loss(memory.sample())["loss"].backward()
        optimizer.step()
        target.step()


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the action with the highest value on each of n boards."""
    planes, masks = (torch.as_tensor(observations[key]) for key in ("observation", "action_mask"))
    boards = TensorDict({PLANES: planes, MASK: masks.bool()}, batch_size=[len(planes)])
    with torch.no_grad():
        return actor(boards)[ACTION].numpy()


examine(policy)

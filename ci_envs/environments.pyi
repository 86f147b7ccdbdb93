"""The types of the functions that make environments.

A type checker knows the parameters of the games of this package: ``make("Quixo-v0", sise=4)`` is no environment, so its
use is an error. The parameters of other games are not checked: ``make("Hex-v0", size=5)``.
"""

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, TypedDict, Unpack, overload

from gymnasium.vector import AutoresetMode

from ci_envs.envs.aec import BoardEnv
from ci_envs.envs.opponent import Opponent
from ci_envs.envs.vector import VectorBoardEnv
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings

class QuixoParameters(TypedDict, total=False):
    size: int

class ConnectNParameters(TypedDict, total=False):
    rows: int
    cols: int
    n: int
    gravity: bool

class NimParameters(TypedDict, total=False):
    heaps: Iterable[int] | int
    max_take: int | None
    misere: bool

class QuartoParameters(TypedDict, total=False):
    squares: bool

KnownId: TypeAlias = Literal["Quixo-v0", "TicTacToe-v0", "ConnectN-v0", "ConnectFour-v0", "Nim-v0", "Quarto-v0"]

class UnknownParameter:
    """The type of a call with a wrong parameter. It has no attributes of an environment."""

class EnvOptions(TypedDict, total=False):
    max_cycles: int | None
    render_mode: str | None

class QuixoEnvOptions(QuixoParameters, EnvOptions): ...
class ConnectNEnvOptions(ConnectNParameters, EnvOptions): ...
class NimEnvOptions(NimParameters, EnvOptions): ...
class QuartoEnvOptions(QuartoParameters, EnvOptions): ...

class VectorOptions(TypedDict, total=False):
    autoreset_mode: AutoresetMode | str
    copy: bool
    threads: int
    max_cycles: int | None
    openings: RandomOpenings | None
    render_mode: str | None

class QuixoVectorOptions(QuixoParameters, VectorOptions): ...
class ConnectNVectorOptions(ConnectNParameters, VectorOptions): ...
class NimVectorOptions(NimParameters, VectorOptions): ...
class QuartoVectorOptions(QuartoParameters, VectorOptions): ...

@overload
def make(id: Literal["Quixo-v0"], **parameters: Unpack[QuixoEnvOptions]) -> BoardEnv: ...
@overload
def make(
    id: Literal["TicTacToe-v0", "ConnectN-v0", "ConnectFour-v0"], **parameters: Unpack[ConnectNEnvOptions]
) -> BoardEnv: ...
@overload
def make(id: Literal["Nim-v0"], **parameters: Unpack[NimEnvOptions]) -> BoardEnv: ...
@overload
def make(id: Literal["Quarto-v0"], **parameters: Unpack[QuartoEnvOptions]) -> BoardEnv: ...
@overload
def make(id: KnownId, **parameters: object) -> UnknownParameter: ...  # type: ignore[overload-overlap]
@overload
def make(id: str | Game, **parameters: Any) -> BoardEnv: ...
@overload
def make_vec(  # type: ignore[overload-overlap]
    environment: Literal["Quixo-v0"],
    num_envs: int = 1,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    **parameters: Unpack[QuixoVectorOptions],
) -> VectorBoardEnv: ...
@overload
def make_vec(  # type: ignore[overload-overlap]
    environment: Literal["TicTacToe-v0", "ConnectN-v0", "ConnectFour-v0"],
    num_envs: int = 1,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    **parameters: Unpack[ConnectNVectorOptions],
) -> VectorBoardEnv: ...
@overload
def make_vec(  # type: ignore[overload-overlap]
    environment: Literal["Nim-v0"],
    num_envs: int = 1,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    **parameters: Unpack[NimVectorOptions],
) -> VectorBoardEnv: ...
@overload
def make_vec(  # type: ignore[overload-overlap]
    environment: Literal["Quarto-v0"],
    num_envs: int = 1,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    **parameters: Unpack[QuartoVectorOptions],
) -> VectorBoardEnv: ...
@overload
def make_vec(environment: KnownId, num_envs: int = 1, **parameters: object) -> UnknownParameter: ...  # type: ignore[overload-overlap]
@overload
def make_vec(
    environment: str | Game,
    num_envs: int = 1,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    **parameters: Any,
) -> VectorBoardEnv: ...

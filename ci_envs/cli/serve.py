"""The command ``ci-envs serve``."""

import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.extras import optional_import
from ci_envs.registry.games import resolve, split_id

_SHUTDOWN_TIMEOUT = 2  # seconds that open requests and event streams get before the server ends
_KEEP_ALIVE = 75  # seconds; clients drop an idle connection earlier, so none writes to a connection that is closed


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen at.")
@click.option(
    "allowed",
    "--allow-host",
    metavar="NAME",
    multiple=True,
    help="Answer to this host name too, for example games.example.org.",
)
@click.option(
    "proxies",
    "--trust-proxy",
    metavar="ADDRESS",
    help="Take the address of a client from the X-Forwarded-For header that the proxy at ADDRESS sets.",
)
@click.option(
    "--games",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File in which the games are stored.  [default: a file in your data directory]",
)
@click.option(
    "listed",
    "--agent",
    metavar="NAME=AGENT",
    multiple=True,
    help="Offer an agent under a name of your choice, for example mine=alphazero:runs/quixo/best.safetensors.",
)
@click.option(
    "extra_games",
    "--game",
    metavar="ENV",
    multiple=True,
    help="Offer this game too: an ID or class of a module or file, for example new_game.py:Chomp-v0.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Processes in which agents compute.  [default: number of processors]"
)
@click.option(
    "--memory",
    "memory_mb",
    type=click.IntRange(min=256),
    help="Memory of all worker processes together, in units of 2^20 bytes.  [default: 192, and 256 per worker]",
)
@click.option(
    "--prepare/--no-prepare",
    "prepares",
    default=True,
    show_default=True,
    help="Compile the code of the usual games in the background after the start.",
)
def serve(
    host: str,
    port: int,
    allowed: tuple[str, ...],
    proxies: str | None,
    games: Path | None,
    listed: tuple[str, ...],
    extra_games: tuple[str, ...],
    workers: int | None,
    memory_mb: int | None,
    prepares: bool,
) -> None:
    """Serve a page to play against agents in the browser, and the same games as a REST API.

    The API is documented at /docs. It offers agents by their names only: the registered ones and those of --agent.
    """
    with usage_errors():
        with optional_import("the server", "web"):
            import uvicorn

            from ci_envs.web.app import create_app, games_file
            from ci_envs.web.body_limit import MAX_BODY
            from ci_envs.web.catalog import Catalog
            from ci_envs.web.cookie_secret import load_cookie_secret
            from ci_envs.web.fork_server import forked_server
            from ci_envs.web.guard import AllowedHosts
            from ci_envs.web.page import add_pages
            from ci_envs.web.timed_protocol import TimedProtocol
        fork_server = forked_server()  # before this process has other threads, files and secrets
        for id in extra_games:
            resolve(id)  # imports the module, which registers the game
            if split_id(id)[1] is not None:
                raise ValueError(f"--game {id!r}: leave out the parameters, which each game on the page chooses")
        hosts = AllowedHosts.of(host, allowed)
        named = dict(map(_named_agent, listed))
        if len(named) < len(listed):
            raise ValueError(f"--agent: a name is given twice in {', '.join(listed)}")
        catalog = Catalog(named)
        try:
            path = games or games_file()
            app = create_app(
                path,
                catalog,
                workers=workers,
                hosts=hosts,
                memory_mb=memory_mb,
                prepares=prepares,
                fork_server=fork_server,
            )
            add_pages(app, load_cookie_secret(path))
        except OSError as error:
            raise ValueError(f"{error}. Choose {'another' if games else 'a'} file with --games FILE") from None
        listening = _listen(host, port)
    click.echo(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    if not _is_loopback(host):
        click.secho(
            f"WARNING: every machine that reaches {host} can start games and searches here, without a password and "
            "unencrypted.",
            fg="yellow",
            bold=True,
            err=True,
        )
    config = uvicorn.Config(
        app,
        log_level="warning",
        ws_max_size=MAX_BODY,
        server_header=False,
        http=TimedProtocol,
        proxy_headers=proxies is not None,  # else any client on this machine could choose its address
        forwarded_allow_ips=proxies,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
    )
    with suppress(KeyboardInterrupt):  # the usual end, for which Uvicorn has closed everything
        uvicorn.Server(config).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        ValueError: The address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ValueError(
            f"Port {port} of {host} cannot be used: {reason}. Choose another with --port or --host"
        ) from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _named_agent(text: str) -> tuple[str, str]:
    from ci_envs.agent_interface.making import read_spec
    from ci_envs.registry.agents import AGENTS

    name, equals, spec = text.partition("=")
    if not (equals and name.isidentifier() and name.isascii() and spec):
        raise ValueError(f"--agent is NAME=AGENT, with a name of letters, digits and _, not {text!r}")
    if name in AGENTS.names():
        raise ValueError(f"--agent: {name!r} is the name of an agent already")
    if read_spec(spec)[0] == "human":
        raise ValueError(f"--agent: {spec!r} asks at the terminal, and people play on the page without it")
    return name, spec

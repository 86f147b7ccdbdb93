"""The turns of clients that load pages, with an application that takes a fixed time."""

import asyncio

from ci_envs.web.limits import current_client
from ci_envs.web.page_turns import PageTurns

SECONDS = 0.02  # to build a page


async def load(turns, client, path, done):
    current_client.set(client)

    async def send(message):
        if message["type"] == "http.response.start":
            done.append((client, message["status"]))

    await turns({"type": "http", "path": path, "method": "GET", "headers": []}, None, send)


async def build(scope, receive, send):
    await asyncio.sleep(SECONDS)
    await send({"type": "http.response.start", "status": 200})


def loaded(share, *requests):
    """Load pages of clients at the same time. Return the answers in order, and the seconds."""

    async def run():
        turns, done, loop = PageTurns(build, share), [], asyncio.get_running_loop()
        began = loop.time()
        await asyncio.gather(*(load(turns, client, path, done) for client, path in requests))
        return done, loop.time() - began

    return asyncio.run(run())


def test_a_client_takes_a_part_of_the_time():
    done, seconds = loaded(0.25, *[("greedy", "/")] * 5, ("modest", "/"))
    assert done[:2] in ([("greedy", 200), ("modest", 200)], [("modest", 200), ("greedy", 200)])
    assert seconds >= (1 + 4 * 4) * SECONDS
    assert loaded(1, *[("greedy", "/")] * 5)[1] < (1 + 4 * 4) * SECONDS


def test_calls_of_the_api_do_not_wait():
    assert loaded(0.25, *[("greedy", "/api/games")] * 5)[1] < 4 * SECONDS


def test_a_client_loads_a_limited_number_of_pages_at_the_same_time():
    done, _ = loaded(1, *[("greedy", "/")] * 20)
    assert sorted(status for _, status in done) == [200] * 16 + [429] * 4

"""Running a bot: `run(MyBot(), "host:8000", seek="…")` from a script, `await run_async(...)` inside a program."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from tabiya.bots.client.bot import Bot, name_of
from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.events import Listener, printer
from tabiya.bots.client.hooks import OnError
from tabiya.bots.client.session import SessionConfig
from tabiya.bots.client.summary import Summary
from tabiya.protocol.encodings import Encoding
from tabiya.protocol.messages import Seek

if TYPE_CHECKING:
    from tabiya.bots.client.connection import RunConfig

T = TypeVar("T")
TERMINATED = 128 + 15  # what a shell says of a process ended by SIGTERM
Seeks = str | Seek | Iterable[str | Seek]


def seeks_of(seek: Seeks, time: str = "") -> tuple[Seek, ...]:
    """What `seek` means: a game, several games, or whole Seek messages.  time: the time control of the plain ones."""
    several = [seek] if isinstance(seek, str | Seek) else seek
    return tuple(one if isinstance(one, Seek) else Seek(game=one, time=time) for one in several if one)


def run_config(
    bot: Bot,
    address: str,
    *,
    token: str = "",
    seek: Seeks = (),
    time: str = "",
    matches: int | None = None,
    at_once: int = 1,
    at_least_s: float = 0.0,
    on_error: str = OnError.RESIGN,
    wait_s: float = 0.0,
    encoding: str | None = None,
) -> RunConfig:
    """The plan for `Client`; the parameters are those of `run_async`.  Raises ClientError, ValueError."""
    from tabiya.bots.client.connection import RunConfig, library

    if isinstance(bot, type):
        raise ClientError(f"a bot is an object, not its class; write run({bot.__name__}(), ...)")
    session = SessionConfig(
        name=name_of(bot),
        token=token,
        version=bot.version,
        client=library(),
        games=tuple(bot.games),
        seeks=seeks_of(seek, time),
        matches=matches,
        at_once=at_once,
        at_least_s=at_least_s,
        legal_moves=bot.needs_legal_moves,
    )
    # the enumeration begins with JSON; reversed, MessagePack is preferred
    encodings = tuple(Encoding) if encoding is None else (Encoding(encoding),)
    return RunConfig(address, session, OnError(on_error), first_attempts_s=wait_s, encodings=encodings[::-1])


async def run_async(bot: Bot, address: str, *, listener: Listener | None = None, **options: Any) -> Summary:
    """Connect the bot and play.  Returns after `matches` matches; without that number, never.

    address: HOST:PORT, http://HOST:PORT (the pages) or ws://HOST:PORT (the websocket); a server and its standby
    servers with commas.
    token: the bot's secret.  seek: a game, several games, or Seek messages; empty: wait for tournaments and challenges.
    time: the time control sought, such as 60+0.5; empty for the server's default.
    matches: stop after this many.  at_once: how many at the same time.  at_least_s: with `matches`, continue with pairs
    of matches for at least this many seconds.
    on_error: if the bot's code fails in a match, "resign" it or play a "legal" move.
    wait_s: how long to try the first connection (later the client tries again for an hour).
    encoding: "msgpack" or "json"; None offers both.  listener: is called with events; None prints to standard error.
    Raises ClientError when the bot cannot continue.
    """
    from tabiya.bots.client.connection import Client  # a third of the time of importing the client

    config = run_config(bot, address, **options)
    return await Client(bot, config, printer() if listener is None else listener).run()


def run(bot: Bot, address: str, **options: Any) -> Summary:
    """As `run_async`, for scripts: blocks, stops cleanly on Ctrl-C; an error is one sentence and exit code 1."""
    summary: list[Summary] = []

    async def play() -> None:
        from tabiya.bots.client.connection import Client

        listener = options.pop("listener", None)
        client = Client(bot, run_config(bot, address, **options), printer() if listener is None else listener)
        try:
            await client.run()
        finally:
            summary.append(client.summary)

    try:
        run_loop(play())
    except KeyboardInterrupt:
        sys.stderr.write("tabiya: stopped\n")
    except ClientError as error:
        raise SystemExit(f"tabiya: {error}") from None
    return summary[0] if summary else Summary(name_of(bot))


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, on uvloop where it is installed."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        main.close()  # or Python would warn that it was never awaited
        raise ClientError("an event loop runs here already (a notebook?); write: await run_async(...)")
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ImportError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        try:
            return runner.run(_until_terminated(main))
        except asyncio.CancelledError:  # by SIGTERM (below); of Ctrl-C the runner itself makes KeyboardInterrupt
            raise SystemExit(TERMINATED) from None


async def _until_terminated(main: Coroutine[Any, Any, T]) -> T:
    """SIGTERM, where there is one, ends as cleanly as Ctrl-C."""
    task = asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows; a thread other than the main one
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await main

"""Calling what a bot's author wrote, sync or async, without ever blocking the event loop."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

T = TypeVar("T")
Forsaken = Callable[[Exception], None]


@overload
async def call(function: Callable[..., Awaitable[T]], *args: Any, forsaken: Forsaken | None = None) -> T: ...


@overload
async def call(function: Callable[..., Awaitable[T] | T], *args: Any, forsaken: Forsaken | None = None) -> T: ...


async def call(function: Callable[..., Any], *args: Any, forsaken: Forsaken | None = None) -> Any:
    """What the function returns: an `async def` runs here, anything else in a thread of its own.

    Cancelling stops an `async def`; a thread cannot be stopped and ends by itself. forsaken: is then told of an error
    that it ends with, in the event loop.
    """
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    outcome = await in_thread(function, *args, forsaken=forsaken)
    return await outcome if inspect.isawaitable(outcome) else outcome


async def in_thread(function: Callable[..., T], *args: Any, forsaken: Forsaken | None = None) -> T:
    """As asyncio.to_thread, but in a daemon thread: a bot that thinks forever does not keep the program alive."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(setter: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            setter(value)
        elif forsaken is not None and isinstance(value, Exception):
            forsaken(value)

    def work() -> None:
        setter: Callable[[Any], None]
        try:
            value: Any = context.run(function, *args)
            setter = future.set_result
        except BaseException as error:
            # sys.exit() in a bot must not end the event loop, and StopIteration cannot be raised into a future.
            ordinary = isinstance(error, Exception) and not isinstance(error, StopIteration)
            value = error if ordinary else RuntimeError(f"raised {error!r}").with_traceback(error.__traceback__)
            setter = future.set_exception
        try:
            loop.call_soon_threadsafe(settle, setter, value)
        except RuntimeError:  # the loop has closed meanwhile: nobody waits
            return

    threading.Thread(target=work, name=f"bot {getattr(function, '__name__', '?')}", daemon=True).start()
    return await future

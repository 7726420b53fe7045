"""Says what was wrong with a frame that could be read but is no message: what came, and what was allowed."""

import re
from typing import Any

from protocol.codes import RefusalCode
from protocol.errors import CodecError
from protocol.messages.fields import LARGEST_NUMBER

_PATH = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>\d+)\]")


def explain(plain: Any, error: BaseException, sender: str, types: tuple[str, ...]) -> CodecError:
    """The error for a frame that held `plain`, which `sender` may not send.

    plain: any value the decoders give.  error: what the typed decoder said.  types: every `type` the sender has.
    """
    if not isinstance(plain, dict):
        return CodecError(f"received {shown(plain)}; a message is an object with a `type`", garbage=True)
    about = plain.get("type")
    match = _match_number(plain)
    if not isinstance(about, str):
        received = f"`type` {shown(about)}" if "type" in plain else "an object without `type`"
        return CodecError(f"received {received}; {sender} may send {', '.join(types)}", match=match)
    if about not in types:
        return CodecError(
            f"received the type {shown(about)}; {sender} may send {', '.join(types)}",
            code=RefusalCode.UNKNOWN_TYPE,
            about=_clean(about)[:64],
            match=match,
        )
    return CodecError(f"{about}: {_field_fault(plain, str(error))}", about=about, match=match)


def shown(value: Any) -> str:
    """A value as an error message shows it: at most forty characters, printable."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = repr(value) if not isinstance(value, int) or abs(value) <= LARGEST_NUMBER else "a number beyond 2**53"
    return _clean(text if len(text) <= 40 else text[:37] + "...")


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _match_number(plain: dict[Any, Any]) -> int | None:
    match = plain.get("match")
    fits = isinstance(match, int) and not isinstance(match, bool) and 1 <= match <= LARGEST_NUMBER
    return match if fits else None


def _field_fault(plain: Any, fault: str) -> str:
    """`Expected `int` >= 1 - at `$.match`` becomes `match: expected `int` >= 1, received 0`."""
    found = _PATH.search(fault)
    expected = fault[:1].lower() + fault[1:]
    if found is None:
        return _clean(expected)[:400]
    path, expected = found["path"].lstrip("."), expected[: found.start()]
    return f"{path}: {expected}, received {_value_at(plain, found['path'])}"


def _value_at(plain: Any, path: str) -> str:
    for step in _STEP.finditer(path):
        key = step["name"] if step["name"] is not None else int(step["index"])
        try:
            plain = plain[key]
        except (KeyError, IndexError, TypeError):
            return "nothing"
    return "something else" if path.endswith("[...]") else shown(plain)

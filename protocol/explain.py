"""Explains what is wrong with a readable frame that is no message: what was received, and what is allowed."""

import json
import math
import re
from typing import Any

from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.errors import CodecError
from tabiya.protocol.messages.fields import LARGEST_NUMBER, LARGEST_PLY

# msgspec tells of a fault in a sentence alone, such as "Expected `int`, got `str` - at `$.match`", and its words are
# those of Python. The sentence is taken apart here; where it is of no known form it is shown as it is.
WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
NAMES_WHAT_CAME = ("the field", "object contains unknown field", "invalid enum value")  # a fault that begins so
_PATH = re.compile(r" - at (?P<key>`key` in )?`\$(?P<path>[^`]*)`$")
_MISSING = re.compile(r"^object missing required field (?P<name>`\w+`)$")
_GOT = re.compile(r", got `[^`]*`$")
_KINDS = re.compile(r"`(?P<kinds>[a-z]+(?: \| [a-z]+)*)`")
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>\d+)\]")


def explain(plain: Any, error: BaseException, sender: str, types: tuple[str, ...]) -> CodecError:
    """The error for a frame that held `plain`, which `sender` may not send.

    plain: any value the decoders give.  error: what the typed decoder said.  types: every `type` the sender has.
    """
    if not isinstance(plain, dict):
        return CodecError(f"received {shown(plain)}; a message is an object with a `type`", garbage=True)
    about = plain.get("type")
    match, ply = _number(plain, "match", 1, LARGEST_NUMBER), _number(plain, "ply", 0, LARGEST_PLY)
    if not isinstance(about, str):
        received = f"`type` {shown(about)}" if "type" in plain else "an object without `type`"
        return CodecError(f"received {received}; {sender} may send {', '.join(types)}", match=match, ply=ply)
    if about not in types:
        return CodecError(
            f"received the type {shown(about)}; {sender} may send {', '.join(types)}",
            code=RefusalCode.UNKNOWN_TYPE,
            about=_clean(about)[:64],
            match=match,
            ply=ply,
        )
    return CodecError(f"{about}: {field_fault(plain, str(error))}", about=about, match=match, ply=ply)


def shown(value: Any) -> str:
    """A value as an error message shows it, written as in JSON: at most forty characters, printable."""
    if isinstance(value, dict | list | bytes):
        return {dict: "an object", list: f"a list of {len(value)}", bytes: "binary data"}[type(value)]
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return "a number beyond 2^53"
    text = json.dumps(_clean(value) if isinstance(value, str) else value, ensure_ascii=False, default=str)
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= 40 else text[:37] + "..."


def _clean(text: str) -> str:
    # the JSON reader of Python, which the pages use, lets halves of surrogate pairs pass; no answer could hold them
    return text.encode("utf-8", "replace").decode()


def _number(plain: dict[Any, Any], name: str, low: int, high: int) -> int | None:
    value = plain.get(name)
    fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    return value if fits else None


def field_fault(plain: Any, fault: str) -> str:
    """The faulty field, what was expected and what was received: `match: expected an integer >= 1, received 0`.

    plain: the value that was read.  fault: what msgspec says of it, such as "Expected `int` >= 1 - at `$.match`".
    """
    found = _PATH.search(fault)
    path, expected = expectation(fault)
    if found is None:
        return _clean(expected)[:400]
    if found["key"]:  # the fault is in a key of a map: the path leads to the map, not to a value
        return f"{path}: a name is bad: {expected}"
    if expected.startswith(NAMES_WHAT_CAME):
        return f"{path}: {expected}"
    return f"{path}: {expected}, received {_value_at(plain, found['path'])}"


def expectation(fault: str) -> tuple[str, str]:
    """The path of the faulty field ("" for the whole message), and what was expected, in plain words."""
    found = _PATH.search(fault)
    return (found["path"].lstrip("."), _in_words(fault[: found.start()])) if found else ("", _in_words(fault))


def _in_words(fault: str) -> str:
    """An expectation of msgspec in words without terms of a programming language."""
    fault = fault[:1].lower() + fault[1:]
    missing = _MISSING.match(fault)
    if missing:
        return f"the field {missing['name']} is missing"
    return _KINDS.sub(_kind_in_words, _GOT.sub("", fault))


def _kind_in_words(found: re.Match[str]) -> str:
    kinds = found["kinds"].split(" | ")
    return " or ".join(WORDS[kind] for kind in kinds) if all(kind in WORDS for kind in kinds) else found[0]


def _value_at(plain: Any, path: str) -> str:
    for step in _STEP.finditer(path):
        key = step["name"] if step["name"] is not None else int(step["index"])
        try:
            plain = plain[key]
        except (KeyError, IndexError, TypeError):
            return "nothing"
    # msgspec writes [...] for a value of a map, without saying which
    return "something else" if path.endswith("[...]") else shown(plain)

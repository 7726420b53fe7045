"""Renders a document from Markdown to HTML: anchors, site links, coloured code, no inline styles or scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from tabiya.server.web.documents.files import CONTENTS, served_files

if TYPE_CHECKING:  # loaded for the first document that is read, in a thread: a server starts without
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

FOREIGN = re.compile(r"https?://")
ALIGNED = {"text-align:right": "number", "text-align:center": "center"}  # as classes: the policy allows no styles


class Heading(NamedTuple):
    """A heading of a document. level: 1 to 6.  anchor: its id in the page."""

    level: int
    anchor: str
    text: str


class Rendered(NamedTuple):
    """A document as HTML, and its headings in order."""

    html: str
    headings: tuple[Heading, ...]


def render(text: str, path: str) -> Rendered:
    """A document as HTML. path: of the document below `docs`, from which its links lead."""
    parser = _parser()
    tokens = [token for token in parser.parse(text) if not token.content.startswith("<!--")]
    headings = tuple(headings_of(tokens))
    _mark_headings(tokens, headings)
    for token in tokens:
        if token.children:
            token.children = list(_with_site_links(token.children, path))
    _repair_tables(tokens)
    return Rendered(parser.renderer.render(tokens, parser.options, {}), headings)


def parse(text: str) -> list[Token]:
    """A document's tokens, as written."""
    return _parser().parse(text)


def headings_of(tokens: Sequence[Token]) -> Iterator[Heading]:
    """The headings, with anchors as GitHub makes them: of a repeated heading with its number behind."""
    seen: dict[str, int] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            words = plain_text(inline)
            anchor = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
            number = seen[anchor] = seen.get(anchor, -1) + 1
            yield Heading(int(opening.tag[1:]), f"{anchor}-{number}" if number else anchor, words)


def plain_text(token: Token) -> str:
    """The words of a token, without marks."""
    if token.children is None:
        return "" if token.type == "html_block" else token.content
    return "".join("\n" if "break" in child.type else plain_text(child) for child in token.children if _is_word(child))


def address_of(link: str, path: str) -> str | None:
    """The site address of a link in the document at `path`; None for a file that is not served."""
    if link.startswith("#") or FOREIGN.match(link):
        return link
    file, mark, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    if target not in served_files():
        return None
    return f"/docs/{'' if target == CONTENTS else target.removesuffix('.md')}{mark}{anchor}"


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    for name, rule in {"fence": _code, "code_block": _code, "table_open": _table, "table_close": _table_end}.items():
        parser.add_render_rule(name, rule)
    return parser


def _is_word(token: Token) -> bool:
    return token.type in ("text", "code_inline", "softbreak", "hardbreak", "image")


def _mark_headings(tokens: list[Token], headings: Sequence[Heading]) -> None:
    """Each heading gets its id and, but the title, a link to itself."""
    from markdown_it.token import Token

    places = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    for place, heading in zip(places, headings, strict=True):
        tokens[place].attrSet("id", heading.anchor)
        children = tokens[place + 1].children
        if children is not None and heading.level > 1:
            label = escape(f"Link to “{heading.text}”")
            link = f' <a class="anchor" href="#{escape(heading.anchor)}" aria-label="{label}">#</a>'
            children.append(Token("html_inline", "", 0, content=link))


def _with_site_links(tokens: Sequence[Token], path: str) -> Iterator[Token]:
    """The tokens with links as the site has them; what leads to nothing that is served becomes plain text."""
    kept: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            link = str(token.attrGet("href"))
            address = address_of(link, path)
            kept.append(address is not None)
            token.attrSet("href", address or "")
            if FOREIGN.match(link):
                token.attrSet("rel", "external noreferrer")
        elif token.type == "image":
            token.attrSet("src", address_of(str(token.attrGet("src")), path) or "")
            token.attrSet("loading", "lazy")
        if token.type == "link_close":
            if kept.pop():
                yield token
        elif token.type != "link_open" or kept[-1]:
            yield token


def _repair_tables(tokens: Sequence[Token]) -> None:
    """Alignment by classes; an empty heading of a column is an empty cell."""
    for token, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.type not in ("th_open", "td_open"):
            continue
        aligned = ALIGNED.get(str(token.attrs.pop("style", "")))
        if aligned:
            token.attrSet("class", aligned)
        if token.type == "th_open" and not inline.content:
            token.tag = closing.tag = "td"


def _code(renderer: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    """A block of code: in colours where its language is known, reached by the keyboard because it may scroll."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    token = tokens[place]
    try:
        lexer = get_lexer_by_name(token.info.partition(" ")[0])
    except ClassNotFound:
        code = escape(token.content, quote=False)
    else:
        code = highlight(token.content, lexer, HtmlFormatter(nowrap=True))
    return f'<pre tabindex="0"><code>{code}</code></pre>\n'


def _table(renderer: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    return '<div class="wide" tabindex="0"><table>\n'


def _table_end(renderer: Any, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
    return "</table></div>\n"

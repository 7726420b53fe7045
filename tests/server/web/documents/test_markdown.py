"""A document becomes HTML in which nothing is dead, inline or out of a keyboard's reach."""

from __future__ import annotations

import pytest

from tabiya.server.web.documents.markdown import Heading, address_of, render

AT = "how-to/run-a-class.md"


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("check-your-bot.md", "/docs/how-to/check-your-bot"),
        ("../reference/protocol.md#seek", "/docs/reference/protocol#seek"),
        ("../reference/openapi.json", "/docs/reference/openapi.json"),
        ("../security.md", "/docs/security"),
        ("../README.md", "/docs/"),
        ("#the-day-before", "#the-day-before"),
        ("https://example.org/x.md", "https://example.org/x.md"),
        ("../measurements/strength.md", None),
        ("../decisions/", None),
        ("../../server/app.py", None),
        ("../../../../etc/passwd", None),
        ("javascript:alert(1)", None),
    ],
)
def test_a_link_leads_to_a_page_of_the_site_or_nowhere(link: str, address: str | None) -> None:
    assert address_of(link, AT) == address


def test_broken_links_are_plain_text_and_links_to_other_sites_are_marked() -> None:
    html = render("[the *code*](../../server/app.py), [rules](https://example.org/)", AT).html
    assert html == ('<p>the <em>code</em>, <a href="https://example.org/" rel="external noreferrer">rules</a></p>\n')


def test_headings_have_anchors_as_on_github_and_a_repeated_one_has_its_own() -> None:
    page = render("# A title\n\n## `hello`, then more\n\n## Twice\n\n## Twice\n", AT)
    anchors = ["a-title", "hello-then-more", "twice", "twice-1"]
    assert [heading.anchor for heading in page.headings] == anchors
    assert page.headings[1] == Heading(2, "hello-then-more", "hello, then more")
    assert '<h1 id="a-title">A title</h1>' in page.html
    for anchor in anchors[1:]:
        assert f'href="#{anchor}" aria-label="Link to “' in page.html


def test_code_is_in_colours_without_a_style_and_reached_by_keyboard() -> None:
    html = render(
        '```python my_bot.py\nprint("<b>")  # why\n```\n\n```\na < b\n```\n\n```klingon\nx\n```\n\n    indented\n', AT
    ).html
    assert html.count('<pre tabindex="0"><code>') == 4
    assert '<span class="c1"># why</span>' in html
    assert "&lt;b&gt;" in html
    assert "a &lt; b\n" in html
    assert "style=" not in html


def test_tables_scroll_by_keyboard_align_by_class_and_have_no_empty_heading() -> None:
    html = render("| | points |\n| --- | ---: |\n| ada | 3 |\n", AT).html
    assert '<div class="wide" tabindex="0"><table>' in html
    assert '<td></td>\n<th class="number">points</th>' in html
    assert '<td class="number">3</td>' in html


def test_a_note_for_who_edits_is_not_shown() -> None:
    assert render("<!-- Generated -->\n\n# A title\n", AT).html == '<h1 id="a-title">A title</h1>\n'

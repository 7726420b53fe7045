"""The documents as a site for the web: build/docs/site/VERSION, beside those of other versions that are there.

    python -m scripts.docs.site    # what `make docs` runs, with Zensical in build/tools

Its pages, their order and where links lead are those of a server's /docs: docs/decisions/045-documents-as-a-site.md.
A dead link ends it with exit code 1.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tabiya import __version__
from tabiya.server.web.documents.contents import contents
from tabiya.server.web.documents.files import served_files
from tabiya.server.web.documents.markdown import address_of

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / "build" / "tools"
FENCE = re.compile(r"^( *```\w+) .*$", re.MULTILINE)  # with a word for the tests behind the language
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
SETTINGS = """\
[project]
site_name = "Tabiya"
site_description = "A game server for bots"
docs_dir = "pages"
site_dir = "site/{version}"
nav = [{{"Documents" = "README.md"}}, {nav}]
extra.version.provider = "mike"
extra.generator = false
theme.font = false
theme.features = ["navigation.tabs", "navigation.sections", "navigation.footer", "content.code.copy"]
[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
"""


def settings(version: str) -> str:
    """The settings for Zensical."""
    sections = ", ".join(
        f"{{{json.dumps(section.title)} = ["
        + ", ".join(f"{{{json.dumps(entry.label)} = {json.dumps(entry.path)}}}" for entry in section.entries)
        + "]}"
        for section in contents()
    )
    return SETTINGS.format(version=version, nav=sections)


def page(text: str, path: str) -> str:
    """A document for the site, without links that lead out of it. path: of the document."""
    text = FENCE.sub(r"\1", text)
    return LINK.sub(lambda link: link[0] if address_of(link[2], path) else link[1], text)


def write_pages(folder: Path) -> None:
    """All files of the site, to be made into pages."""
    for path, file in served_files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            (folder / path).write_text(page(file.read_text("utf-8"), path), "utf-8")
        else:
            (folder / path).write_bytes(file.read_bytes())


def list_versions(site: Path) -> None:
    """The menu of versions, the newest first, and the way to it from the site's root."""
    numbers = {tuple(map(int, each.name.split("."))): each.name for each in site.glob("[0-9]*") if each.is_dir()}
    names = [numbers[number] for number in sorted(numbers, reverse=True)]
    versions = [{"version": name, "title": name, "aliases": []} for name in names]
    (site / "versions.json").write_text(json.dumps(versions) + "\n", "utf-8")
    (site / "index.html").write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0; url={names[0]}/">\n', "utf-8"
    )


def build(root: Path) -> Path:
    """The site of this version, made below `root`. Raises CalledProcessError for a dead link."""
    version = ".".join(__version__.split(".")[:2])
    write_pages(root / "pages")
    (root / "zensical.toml").write_text(settings(version), "utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(BUILDER)}, check=True)
    list_versions(root / "site")
    return root / "site" / version


if __name__ == "__main__":
    print(f"{build(ROOT / 'build' / 'docs').relative_to(ROOT)} written")

"""Judge the claims of the textbooks, all of them or those named. See the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from scripts.docs.generated_documents import write
from scripts.docs.textbooks import tables
from scripts.docs.textbooks.finding import Changed
from scripts.docs.textbooks.items import Verdict, items
from scripts.docs.textbooks.page import COUNTED, documents, read_tables, read_verdicts, write_counted


def judge(names: Iterable[str]) -> tuple[dict[str, Verdict], list[str]]:
    """The verdicts by name, and the names whose verdict does not hold any more; both are printed as they come."""
    known, verdicts, changed = items(), dict[str, Verdict](), list[str]()
    for name in names:
        try:
            verdicts[name] = known[name].judge()
        except Changed as error:
            changed.append(name)
            print(f"{name} ({known[name].source}): {error}\n", flush=True)
            continue
        verdict = verdicts[name]
        print(f"{name} ({known[name].source}): {known[name].says}\n  {verdict.word}: {verdict.figures}\n", flush=True)
    return verdicts, changed


def main() -> int:
    """Exit status 0, or 1 if a name is unknown or a verdict does not hold any more (it is then not written)."""
    parser = argparse.ArgumentParser(description="Judge the claims of the textbooks.")
    parser.add_argument("names", nargs="*", help="claims and examples; all of them if none is named")
    parser.add_argument("--write", action="store_true", help="write down the verdicts of those named, and the page")
    arguments = parser.parse_args()
    known = items()
    for name in arguments.names:
        if name not in known:
            print(f"there is no claim or example {name} (there are: {', '.join(known)})", file=sys.stderr)
            return 1
    verdicts, changed = judge(arguments.names or known)
    if arguments.write or not arguments.names:
        before = read_verdicts() if COUNTED.exists() else {}
        kept = before | verdicts
        counted = read_tables() if arguments.names else tables.counted()
        write_counted({name: kept[name] for name in known if name in kept}, counted)
        write(documents())
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

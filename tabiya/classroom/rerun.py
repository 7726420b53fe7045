"""Repeats a finished run with the present submissions; unchanged versions keep their games against staff bots."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tabiya.classroom.preparation import new_record
from tabiya.classroom.record import FILE, Entry, Rules, RunRecord, load, save
from tabiya.errors import UserError

GRADES = "grades.csv"

Say = Callable[[str], None]


def prepare_rerun(submissions: Path, beside: tuple[str, ...], into: Path, rules: Rules, say: Say) -> RunRecord:
    """The record of the next run in the folder of a finished one, every version frozen again beside the old ones.

    Record and grades of the run before stay as `class-1.json` and `grades-1.csv`.
    Raises UserError, RecordError, OSError.
    """
    before = load(into)
    if before is None:
        raise UserError(f"there is no earlier run in {into}; leave --again out")
    if not before.over:
        raise UserError(f"the run in {into} is not over; continue it with the same command without --again")
    record = new_record(submissions, beside, into, rules, say, number=before.number + 1)
    record.take_over(before)
    record.earlier = [*before.earlier, before.staff or 0]
    _keep(record, before, say)
    save(into, before, f"{Path(FILE).stem}-{before.number}.json")
    if (into / GRADES).exists():
        shutil.copy2(into / GRADES, into / f"{Path(GRADES).stem}-{before.number}.csv")
    save(into, record)  # from here on it is the run that goes on
    return record


def _keep(record: RunRecord, before: RunRecord, say: Say) -> None:
    """Take over scores, table lines and use of the versions that need not meet the staff bots again."""
    same = [entry.name for entry in record.competitors if _is_unchanged(entry, before)]
    kept = set(same) & set(before.staff_scores) if _is_comparable(record, before) else set()
    known = {entry.name: entry for entry in before.entries}
    for entry in record.entries:
        if entry.name in kept:
            entry.since = known[entry.name].since
            if entry.name in before.usage:
                record.usage[entry.name] = before.usage[entry.name]
    record.staff_scores = {name: scores for name, scores in before.staff_scores.items() if name in kept}
    record.kept = [line for line in before.standings.get("staff", []) if line["bot"] in kept]
    now = {entry.name for entry in record.entries}
    for name in sorted(known.keys() - now):
        say(f"{name} was in run {before.number} and is there no more")
    if record.rules.staff:
        playing = len(record.competitors)
        say(f"run {record.number}: {len(kept)} of {playing} versions keep their games against staff bots")


def _is_unchanged(entry: Entry, before: RunRecord) -> bool:
    """Whether exactly this program played before."""
    return any(entry.is_version_of(old) and not old.problem for old in before.entries)


def _is_comparable(record: RunRecord, before: RunRecord) -> bool:
    """Whether games against staff would be played as they were. What they are worth may have changed: it is no game."""
    return _conditions(record) == _conditions(before)


def _conditions(record: RunRecord) -> tuple[object, ...]:
    rules = record.rules
    staff = {(entry.name, entry.player, entry.digest) for entry in record.entries if entry.is_staff}
    limits = (rules.memory_mb, rules.file_mb, rules.sandbox)
    return (rules.game, rules.time_control, rules.staff_rounds, rules.seed, *limits, staff)

"""The beginning of a run: which programs play, each in the version that was submitted, and by which rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from tabiya.classroom.record import NO_QUALIFIER, Entry, Rules, RunRecord, freeze, load, save
from tabiya.classroom.staff import StaffBot
from tabiya.classroom.submissions import Submission, find_submissions
from tabiya.errors import UserError

SWISS_ABOVE = 12  # more entrants than this play a Swiss unless told otherwise
SWISS_ROUNDS = 9  # at most: fewer where there are fewer opponents

Say = Callable[[str], None]


def prepared(submissions: Path, beside: tuple[str, ...], into: Path, rules: Rules, say: Say) -> RunRecord:
    """The run that has begun already, or a new one with every submission's version frozen.

    beside: PLAYERs that play too.  What is known of the same version from a run that has not begun (a dry run) is kept.
    Raises UserError, RecordError, OSError.
    """
    known = load(into)
    if known is not None and known.has_begun:
        say(f"the run in {into} goes on, with its rules and the versions that were submitted when it began")
        return known
    # freezing replaces folders: never in one that has other contents
    if known is None and into.exists() and any(into.iterdir()):
        raise UserError(f"the folder {into} is not a run of `tabiya class run`; choose another with --output")
    record = new_record(submissions, beside, into, rules, say)
    if known is not None:
        record.take_over(known)
    save(into, record)
    return record


def new_record(
    submissions: Path, beside: tuple[str, ...], into: Path, rules: Rules, say: Say, number: int = 1
) -> RunRecord:
    """A run of what is in the folder now, every version frozen. Raises UserError, OSError.

    number: of the run.
    """
    if not submissions.is_dir():
        raise UserError(f"{submissions} is not a folder")
    found, problems = find_submissions(submissions)
    found += tuple(Submission(player, None, player=player) for player in beside)
    for problem in problems:
        say(f"{problem.name} does not play: {problem.why}")
    check_numbers(rules, len(found), f"{submissions} holds {len(found)} bot{'s' * (len(found) != 1)}")
    (into / "logs").mkdir(parents=True, exist_ok=True)
    entries = [freeze(submission, into, at, number) for at, submission in enumerate(found, 1)]
    staff = [_frozen_staff(bot, into, len(found) + at, number) for at, bot in enumerate(rules.staff, 1)]
    entries += [Entry(name=one.name, source=one.name, folder="", problem=one.why) for one in problems]
    # first, so that no submission can have the name of a staff bot: accounts are made in this order
    return RunRecord(rules=_usual(rules, len(found)), entries=staff + entries, number=number)


def check_numbers(rules: Rules, playing: int, what: str) -> None:
    """Raise UserError if too few play. what: how many there are, as the beginning of a sentence."""
    if rules.format == NO_QUALIFIER:
        if not rules.staff:
            raise UserError("without a qualifier there are no games; name staff bots with --staff PLAYER=POINTS")
        if playing < 1:
            raise UserError(f"{what}; one is needed")
    elif playing < 2:
        raise UserError(f"{what}; a tournament needs two")


def _frozen_staff(bot: StaffBot, into: Path, number: int, run: int) -> Entry:
    """A staff bot as an entry; a Python file of the teacher's is copied as a submission is. Raises OSError."""
    from tabiya.bots.players.spec import parse_player

    path = Path(parse_player(bot.player).path)
    source = path if path.name else None
    player = path.name + bot.player.removeprefix(str(path)) if source else bot.player
    entry = freeze(Submission(bot.name, source, player=player), into, number, run)
    entry.is_staff = True
    return entry


def _usual(rules: Rules, entrants: int) -> Rules:
    """The rules with what was left open filled in."""
    if rules.format == NO_QUALIFIER:
        return rules
    form = rules.format or ("swiss" if entrants > SWISS_ABOVE else "round_robin")
    rounds = rules.rounds or (min(SWISS_ROUNDS, entrants - 1) if form == "swiss" else 1)
    return replace(rules, format=form, rounds=rounds)

"""Staff bots: what they are worth is read from texts."""

from __future__ import annotations

import pytest

from tabiya.classroom.staff import StaffError, read_staff
from tabiya.server.accounts.names import check_name


@pytest.mark.parametrize(
    ("text", "player", "worth"),
    [
        ("greedy=4", "greedy", (4, 0, 100)),
        ("pvs:2=2.5@50", "pvs:2", (2.5, 50, 50)),
        ("pvs:4?margin=30=3@25-75", "pvs:4?margin=30", (3, 25, 75)),
        ("my.py:Tuned:6?corner=9=1@0-12.5", "my.py:Tuned:6?corner=9", (1, 0, 12.5)),
    ],
)
def test_the_worth_stands_behind_the_last_equals_sign(
    text: str, player: str, worth: tuple[float, float, float]
) -> None:
    [bot] = read_staff([text])
    assert (bot.player, (bot.points, bot.nothing_to, bot.all_from)) == (player, worth)
    assert check_name(bot.name) == bot.name
    assert bot.name.startswith("staff ")


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["greedy"], "not 'greedy'"),
        (["=4"], "not '=4'"),
        (["greedy=4@"], "not 'greedy=4@'"),
        (["greedy=four"], "not 'greedy=four'"),
        (["greedy=nan"], "not 'greedy=nan'"),
        (["greedy=0"], "more than 0"),
        (["greedy=1001"], "at most 1000"),
        (["greedy=4@75-25"], "the lower one first"),
        (["greedy=4@0"], "more than 0"),
        (["greedy=4@50-101"], "percents"),
        (["greedy=4", "greedy=5"], "names greedy twice"),
    ],
)
def test_what_names_no_staff_bot_is_said_in_one_sentence(texts: list[str], sentence: str) -> None:
    with pytest.raises(StaffError, match=sentence):
        read_staff(texts)

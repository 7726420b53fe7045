"""The session: no socket, no clock; messages in, actions out."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tabiya.bots.client.choice import Choice
from tabiya.bots.client.session import (
    MOST_ATTEMPTS,
    Abort,
    Action,
    AskAboutChallenge,
    AskAboutDraw,
    CloseConnection,
    MatchMissed,
    Notify,
    RetryLater,
    Send,
    Session,
    SessionConfig,
    StopThinking,
    Think,
)
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import (
    Accept,
    Busy,
    Challenged,
    Decline,
    DrawOffer,
    DrawOffered,
    Move,
    Notice,
    Refused,
    Resign,
    Seek,
    ServerMessage,
    TakeBack,
    TakeBackAsked,
    Turn,
    Unseek,
)
from tests.bots.client.fake_server import GAME, ended, started, turn, welcome


def session_of(**config: Any) -> Session:
    return Session(SessionConfig(name="amy", **config))


def connected(running: tuple[int, ...] = (), **config: Any) -> Session:
    """A session after hello and welcome."""
    session = session_of(**config)
    reconnect(session, running)
    return session


def reconnect(session: Session, running: tuple[int, ...] = ()) -> list[Action]:
    session.lost()
    session.hello()
    return hear(session, welcome(running=running))


def hear(session: Session, *messages: ServerMessage) -> list[Action]:
    """The actions after these messages, without those that only tell the person at the bot."""
    actions = [action for message in messages for action in session.received(message, 0.0)]
    return [action for action in actions if not isinstance(action, Notify)]


def thought(actions: list[Action]) -> Think:
    found = [action for action in actions if isinstance(action, Think)]
    assert len(found) == 1, actions
    return found[0]


def thinking() -> tuple[Session, Think]:
    """A session whose bot thinks about its first turn."""
    session = connected()
    return session, thought(hear(session, turn()))


def answered(move: str = "b2") -> Session:
    """A session whose bot has answered its first turn."""
    session, think = thinking()
    session.chosen(think.number, Choice(move))
    return session


def sent(actions: list[Action]) -> list[Any]:
    return [action.message for action in actions if isinstance(action, Send)]


def illegal(ply: int = 0, match: int = 1, code: str = RefusalCode.ILLEGAL_MOVE) -> Refused:
    return Refused(code=code, message="not there", about="move", match=match, ply=ply, illegal_left=1)


MOVE = Move(match=1, ply=0, move="b2")


def test_a_turn_is_thought_about_and_the_answer_sent() -> None:
    session = connected()
    think = thought(session.received(turn(), 12.5))
    assert (think.turn, think.received_s, think.refused) == (turn(), 12.5, "")
    assert session.chosen(think.number, Choice("b2")) == [Send(MOVE)]


def test_the_same_turn_while_thinking_starts_no_second_thought() -> None:
    session, think = thinking()
    assert hear(session, turn()) == []
    assert session.chosen(think.number, Choice("b2")) == [Send(MOVE)]


def test_the_same_turn_after_the_answer_is_answered_again_without_thinking() -> None:
    session = answered()
    reconnect(session, running=(1,))
    assert hear(session, turn()) == [Send(MOVE)]


def test_an_answer_found_while_disconnected_waits_for_its_turn() -> None:
    session, think = thinking()
    session.lost()
    assert session.chosen(think.number, Choice("b2")) == []
    assert sent(reconnect(session, running=(1,))) == []
    assert hear(session, turn()) == [Send(MOVE)]


def test_an_answer_found_before_the_turn_came_again_is_sent_once() -> None:
    session, think = thinking()
    reconnect(session, running=(1,))
    assert session.chosen(think.number, Choice("b2")) == []
    assert hear(session, turn()) == [Send(MOVE)]


def test_a_later_turn_ends_the_thought_about_the_earlier() -> None:
    session = connected()
    first = thought(hear(session, turn(ply=0)))
    actions = hear(session, turn(ply=2))
    assert actions[0] == StopThinking(first.number)
    assert thought(actions).turn.ply == 2
    assert session.chosen(first.number, Choice("b2")) == []


def test_another_position_at_the_same_ply_is_thought_about_anew() -> None:
    session = answered()
    assert thought(hear(session, turn(position="X-------- O")))


def test_many_matches_are_answered_in_any_order() -> None:
    session = connected(at_once=3)
    numbers = {match: thought(hear(session, turn(match=match))).number for match in (1, 2, 3)}
    for match in (3, 1, 2):
        assert sent(session.chosen(numbers[match], Choice("b2"))) == [Move(match=match, ply=0, move="b2")]


@pytest.mark.parametrize("code", [RefusalCode.ILLEGAL_MOVE, RefusalCode.UNREADABLE_MOVE, RefusalCode.BAD_MESSAGE])
def test_a_refused_move_is_thought_about_again_with_the_reason(code: str) -> None:
    session = answered("z9")
    again = thought(hear(session, illegal(code=code)))
    assert again.refused == "z9: not there"
    assert sent(session.chosen(again.number, Choice("b2"))) == [MOVE]


def test_a_bot_that_never_finds_a_legal_move_resigns_at_last() -> None:
    session = connected()
    actions = hear(session, turn())
    for _ in range(MOST_ATTEMPTS):
        session.chosen(thought(actions).number, Choice("z9"))
        actions = hear(session, illegal())
    assert sent(actions) == [Resign(match=1)]
    assert hear(session, turn()) == [Send(Resign(match=1))]


def test_a_refusal_that_was_lost_with_the_connection_is_not_provoked_again() -> None:
    session = answered("z9")
    reconnect(session, running=(1,))
    actions = hear(session, turn(illegal_moves=1))
    assert sent(actions) == []
    assert "illegal" in thought(actions).refused


def test_a_turn_that_comes_again_after_its_refusal_is_given_the_answer_found_since() -> None:
    session = answered("z9")
    again = thought(hear(session, illegal()))
    session.chosen(again.number, Choice("b2"))
    assert hear(session, turn(illegal_moves=1)) == [Send(MOVE)]
    reconnect(session, running=(1,))
    assert thought(hear(session, turn(illegal_moves=2))).refused  # the answer found since was refused, too


def test_a_refusal_after_the_turn_that_repeats_it_changes_nothing() -> None:
    session = answered("z9")
    think = thought(hear(session, turn(illegal_moves=1)))
    assert hear(session, illegal()) == []
    assert sent(session.chosen(think.number, Choice("b2"))) == [MOVE]


@pytest.mark.parametrize(
    "code",
    [
        RefusalCode.ALREADY_PLAYED,
        RefusalCode.MATCH_OVER,
        RefusalCode.OUT_OF_TIME,
        RefusalCode.MATCH_FROZEN,
        RefusalCode.WRONG_PLY,
        RefusalCode.NOT_YOUR_TURN,
    ],
)
def test_a_settled_refusal_asks_for_no_other_move(code: str) -> None:
    session = answered()
    assert hear(session, illegal(code=code)) == []


def test_a_refusal_for_an_earlier_ply_is_ignored() -> None:
    session = connected()
    session.chosen(thought(hear(session, turn(ply=2))).number, Choice("b2"))
    assert hear(session, illegal(ply=0)) == []


def test_expected_refusals_are_not_shown_and_others_are() -> None:
    session = answered()
    assert session.received(illegal(code=RefusalCode.ALREADY_PLAYED), 0.0) == []
    late = illegal(code=RefusalCode.OUT_OF_TIME)
    assert session.received(late, 0.0) == [Notify(late)]


def test_a_refusal_in_a_code_of_the_future_is_answered_with_another_move() -> None:
    session = answered()
    assert thought(hear(session, illegal(code="brand_new")))


def test_the_end_of_a_match_ends_its_thought() -> None:
    session, think = thinking()
    assert hear(session, ended()) == [StopThinking(think.number)]
    assert session.chosen(think.number, Choice("b2")) == []
    assert session.running == ()


def test_a_resignation_is_sent_instead_of_the_move() -> None:
    session = connected()
    assert sent(session.chosen(thought(hear(session, turn())).number, Choice("b2", resign=True))) == [Resign(match=1)]


def test_a_draw_is_offered_before_the_move() -> None:
    session = connected()
    choice = Choice("b2", offer_draw=True)
    assert sent(session.chosen(thought(hear(session, turn())).number, choice)) == [DrawOffer(match=1, ply=0), MOVE]


def test_an_offer_during_the_thought_is_asked_about_and_accepted() -> None:
    session = connected()
    hear(session, turn())
    assert hear(session, DrawOffered(match=1, ply=0)) == [AskAboutDraw(turn(), 0.0)]
    assert session.accept_draw(1, 0) == [Send(DrawOffer(match=1, ply=0))]


def test_a_draw_offer_in_a_turn_is_not_asked_about_twice() -> None:
    session = connected()
    hear(session, turn(draw_offered=True))
    assert hear(session, DrawOffered(match=1, ply=0)) == []


def test_an_offer_is_not_accepted_for_another_ply_or_another_match_or_without_connection() -> None:
    session = connected()
    hear(session, turn(ply=4))
    assert session.accept_draw(1, 2) == []
    assert session.accept_draw(2, 4) == []
    session.lost()
    assert session.accept_draw(1, 4) == []


def test_hello_carries_plain_seeks_and_the_others_follow_the_welcome() -> None:
    timed = Seek(game="nim", time="2/move")
    session = session_of(seeks=(Seek(game=GAME), timed), token="secret", at_once=4)
    hello = session.hello()
    assert (hello.name, hello.token, hello.seek, hello.max_matches) == ("amy", "secret", (GAME,), 4)
    assert hear(session, welcome()) == [Send(timed)]


def test_an_unknown_game_ends_the_run_with_a_sentence() -> None:
    session = session_of(seeks=(Seek(game="ludo"),))
    session.hello()
    assert hear(session, welcome()) == [Abort("the server has no game 'ludo' (it has: tictactoe, nim)")]


def test_a_bot_of_no_game_of_the_server_ends_the_run_with_a_sentence() -> None:
    session = session_of(games=("ludo", "halma"))
    session.hello()
    sentence = "the server has none of this bot's games: ludo, halma (it has: tictactoe, nim)"
    assert hear(session, welcome()) == [Abort(sentence)]
    session = session_of(games=("ludo", GAME))
    session.hello()
    assert hear(session, welcome()) == []


def test_the_last_match_wanted_ends_the_seeking_and_its_end_the_run() -> None:
    session = connected(seeks=(Seek(game=GAME),), matches=2)
    assert hear(session, started(1)) == []
    assert hear(session, turn(1)) != []
    assert not [action for action in hear(session, ended(1)) if isinstance(action, CloseConnection)]
    assert hear(session, started(2)) == [Send(Unseek(game=GAME))]
    assert hear(session, ended(2)) == [CloseConnection()]
    assert session.done


def test_while_there_is_time_two_matches_more_are_played_than_were_wanted() -> None:
    session = connected(seeks=(Seek(game=GAME),), matches=2, at_least_s=10.0)

    def plays(match: int, now_s: float) -> list[Action]:
        found = session.received(started(match), now_s) + session.received(ended(match), now_s)
        return [action for action in found if not isinstance(action, Notify)]

    assert [plays(match, 100.0 + match) for match in (1, 2, 3, 4)] == [[], [], [], []]
    assert plays(5, 111.0) == []  # the second of a pair is played, too
    assert plays(6, 112.0) == [Send(Unseek(game=GAME)), CloseConnection()]


def test_the_run_ends_only_when_all_running_matches_have() -> None:
    session = connected(matches=1, at_once=2)
    hear(session, started(1), started(2))
    assert hear(session, ended(1)) == []
    assert hear(session, ended(2)) == [CloseConnection()]


def test_a_bot_that_wants_one_match_more_asks_for_one_at_a_time() -> None:
    assert session_of(matches=1, at_once=5).hello().max_matches == 1


def test_after_the_last_match_has_started_hello_seeks_no_more() -> None:
    session = connected(seeks=(Seek(game=GAME),), matches=1)
    hear(session, started(1))
    session.lost()
    assert session.hello().seek == ()


def test_a_match_that_ended_while_disconnected_is_missed_and_counted() -> None:
    session = connected(matches=1)
    think = thought(hear(session, started(1), turn(1)))
    actions = reconnect(session, running=())
    assert actions == [StopThinking(think.number), MatchMissed(1), CloseConnection()]
    assert hear(session, ended(1)) == []
    assert session.finished == 1


def test_a_match_of_an_earlier_process_is_taken_up_from_the_welcome() -> None:
    session = connected(running=(7,))
    assert session.running == (7,)
    assert thought(hear(session, turn(match=7, ply=12)))


def test_the_name_given_at_first_is_the_name_to_come_back_with() -> None:
    session = session_of()
    session.hello()
    hear(session, welcome(name="amy-2"))
    session.lost()
    assert session.hello().name == "amy-2"


@pytest.mark.parametrize(("accepted", "answer"), [(True, Accept(challenge=5)), (False, Decline(challenge=5))])
def test_a_challenge_is_asked_about_and_answered(accepted: bool, answer: Accept | Decline) -> None:
    session = connected()
    challenge = Challenged(challenge=5, opponent="bea", game=GAME, time="60+0", lapses_ms=1000)
    assert hear(session, challenge) == [AskAboutChallenge(challenge)]
    assert session.challenge_answered(challenge, accepted) == [Send(answer)]


def test_a_challenge_is_declined_after_the_last_match_and_a_receipt_is_not_asked_about() -> None:
    session = connected(matches=1)
    hear(session, started(1))
    challenge = Challenged(challenge=5, opponent="bea", game=GAME, time="60+0", lapses_ms=1000)
    assert [type(message) for message in sent(session.challenge_answered(challenge, True))] == [Decline]
    receipt = Challenged(challenge=6, opponent="bea", game=GAME, time="60+0", lapses_ms=1000, yours=True)
    assert hear(session, receipt) == []


def test_a_seek_that_met_a_busy_server_is_repeated_later() -> None:
    session = connected(seeks=(Seek(game=GAME),))
    assert hear(session, Busy(retry_ms=500, about="seek")) == [RetryLater(500, "seek")]
    assert session.retry("seek") == [Send(Seek(game=GAME))]
    session.lost()
    assert session.retry("seek") == []


def test_a_move_that_met_a_busy_server_is_repeated_later() -> None:
    session = answered()
    assert hear(session, Busy(retry_ms=500, about="move")) == [RetryLater(500, "move")]
    assert session.retry("move") == [Send(MOVE)]


def test_notices_are_shown() -> None:
    notice = Notice(kind="server_closing", text="soon")
    assert connected().received(notice, 0.0) == [Notify(notice)]


@pytest.mark.parametrize("seed", range(50))
def test_in_any_order_of_events_no_turn_is_thought_about_twice_and_answers_fit_the_connection(seed: int) -> None:
    """Random cuts, repeats, answers and endings over several matches. The seed is in the test's name."""
    random = Random(seed)
    session = connected(at_once=3)
    plies = dict.fromkeys((1, 2, 3), 0)
    thoughts: dict[int, tuple[int, int]] = {}
    seen: set[tuple[int, int]] = set()
    shown: set[tuple[int, int]] = set()
    online = True

    def note(actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Think):
                key = (action.turn.match, action.turn.ply)
                assert key not in seen, "thought about twice"
                seen.add(key)
                thoughts[action.number] = key
            elif isinstance(action, Send) and isinstance(action.message, Move):
                assert online
                assert (action.message.match, action.message.ply) in shown, "answered a turn not seen here"
                plies[action.message.match] = max(plies[action.message.match], action.message.ply + 2)

    for _ in range(200):
        step = random.randrange(6)
        if step == 0 and online:
            session.lost()
            online = False
        elif step == 1 and not online:
            shown.clear()
            online = True
            note(reconnect(session, running=tuple(plies)))
        elif step in (2, 3) and online:
            match = random.choice(list(plies))
            message: Turn = turn(match=match, ply=plies[match], position=f"{plies[match]}")
            shown.add((match, plies[match]))
            note(session.received(message, 0.0))
        elif step >= 4 and thoughts:
            number = random.choice(list(thoughts))
            del thoughts[number]
            note(session.chosen(number, Choice("b2")))
    assert seen


def test_a_move_that_the_opponent_wants_back_is_given_back() -> None:
    session = connected()
    hear(session, turn())
    agreed = Send(TakeBack(match=1, ply=0, agree=True))
    assert hear(session, TakeBackAsked(match=1, ply=0)) == [agreed]

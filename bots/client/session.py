"""The client's side of the protocol as a state machine without socket, clock or thread.

    session = Session(SessionConfig(name="amy", seeks=(Seek(game="nim"),)))
    session.hello()                           -> the first message of a connection
    session.received(message, now_s)          -> actions, to be carried out in order
    session.chosen(number, choice)            -> actions, when `choose` has answered thought `number`
    session.lost()                            -> the connection is gone; what is being thought goes on

Two promises hold over every order of messages and disconnections: the same turn (match, ply, position) is never
thought about twice unless the server refused the answer, and an answer is sent only for a turn that was received on
the present connection. An answer found while disconnected waits for its turn to come again.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from tabiya.bots.client.choice import AnswerMessage, Choice, answer_messages
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import (
    Accept,
    Busy,
    Challenged,
    ClientMessage,
    Decline,
    DrawOffer,
    DrawOffered,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    Refused,
    Resign,
    Seek,
    ServerMessage,
    TakeBack,
    TakeBackAsked,
    Turn,
    Unseek,
    Welcome,
)

MOST_ATTEMPTS = 10  # answers to one turn; the server's own limit of illegal moves is smaller

# Refusals of a move after which the turn does not wait for another answer from here.
FINAL_REFUSALS = frozenset(
    {
        RefusalCode.ALREADY_PLAYED,
        RefusalCode.MATCH_OVER,
        RefusalCode.OUT_OF_TIME,
        RefusalCode.MATCH_FROZEN,
        RefusalCode.WRONG_PLY,
        RefusalCode.NOT_YOUR_TURN,
        RefusalCode.UNKNOWN_MATCH,
        RefusalCode.NOT_A_PLAYER,
    }
)
# Refusals that follow from ordinary races and say nothing to the bot's author.
EXPECTED_REFUSALS = frozenset({RefusalCode.ALREADY_PLAYED, RefusalCode.MATCH_OVER, RefusalCode.NOT_SEEKING})


MATCHES_OF_A_PAIR = 2  # with seats changed


class SessionConfig(NamedTuple):
    """Who the bot is and which matches it seeks.

    seeks: games it asks matches in, again after each.  matches: stop after so many, None for never.
    at_once: how many matches it will play at the same time.  at_least_s: with `matches`, go on in pairs of matches
    until so many seconds after the first has begun.
    """

    name: str
    token: str = ""
    version: str = ""
    client: str = ""
    games: tuple[str, ...] = ()
    seeks: tuple[Seek, ...] = ()
    matches: int | None = None
    at_once: int = 1
    at_least_s: float = 0.0
    legal_moves: bool = True


class Send(NamedTuple):
    """Send this message."""

    message: ClientMessage


class Think(NamedTuple):
    """Ask the bot.  number: names this thought in `chosen`.  refused: why its last answer to this turn was refused."""

    number: int
    turn: Turn
    received_s: float
    refused: str = ""


class StopThinking(NamedTuple):
    """The answer to this Think is not needed any more."""

    number: int


class Notify(NamedTuple):
    """Call the bot's hook for this message, or show it to the bot's author."""

    message: ServerMessage


class AskAboutDraw(NamedTuple):
    """The opponent offers a draw while the bot thinks about `turn`: ask it."""

    turn: Turn
    received_s: float


class AskAboutChallenge(NamedTuple):
    """Ask the bot whether it accepts."""

    challenge: Challenged


class RetryLater(NamedTuple):
    """The server is busy: wait as `busy` says and then call `session.retry(about)`."""

    retry_ms: int
    about: str


class MatchMissed(NamedTuple):
    """A match that ended while the bot was not connected."""

    match: int


class CloseConnection(NamedTuple):
    """All the matches wanted have been played."""


class Abort(NamedTuple):
    """The server has none of the games that the bot seeks or plays. The text tells the author."""

    text: str


Action = (
    Abort
    | Send
    | Think
    | StopThinking
    | Notify
    | AskAboutDraw
    | AskAboutChallenge
    | RetryLater
    | MatchMissed
    | CloseConnection
)


@dataclass(slots=True)
class MatchState:
    """One running match.

    think_number: of the `Think` under way, 0 for none.  answer: to `turn`, None until chosen.  illegal_moves: as far as
    turns and refusals have said.
    """

    turn: Turn | None = None
    received_s: float = 0.0
    connection: int = 0
    think_number: int = 0
    attempts: int = 0
    answer: tuple[AnswerMessage, ...] | None = None
    illegal_moves: int = 0


@dataclass(slots=True)
class Session:
    """The state of one bot over all its connections."""

    config: SessionConfig
    name: str = ""
    started: int = 0
    finished: int = 0
    connected: bool = False
    busy_ms: int = 0
    _connection: int = 0
    _think_count: int = 0
    _matches: dict[int, MatchState] = field(default_factory=dict)
    _more: int = 0  # matches beyond those wanted, because there was time
    _until_s: float | None = None

    @property
    def running(self) -> tuple[int, ...]:
        """The matches believed to be running."""
        return tuple(self._matches)

    @property
    def done(self) -> bool:
        """Whether as many matches as wanted have been played to their end."""
        return self._has_enough(self.finished) and not self._matches

    def hello(self) -> Hello:
        """A connection is open: its first message."""
        self._connection += 1
        self.busy_ms = 0
        config = self.config
        most = config.at_once if config.matches is None else min(config.at_once, config.matches)
        return Hello(
            name=self.name or config.name,  # as welcomed before: a guest with a suffix comes back as the same
            token=config.token,
            version=config.version,
            games=config.games,
            seek=() if self._has_enough(self.started) else tuple(seek.game for seek in config.seeks if is_plain(seek)),
            max_matches=max(most, 1),
            legal_moves=config.legal_moves,
            client=config.client,
        )

    def lost(self) -> None:
        """The connection is gone. Thinking goes on; answers are kept for when their turn comes again."""
        self.connected = False

    def received(self, message: ServerMessage, now_s: float) -> list[Action]:
        """What to do about a message.  now_s: when it was read, on a clock that never goes back."""
        match message:
            case Welcome():
                return self._welcomed(message, now_s)
            case Turn():
                return self._turn(message, now_s)
            case MatchStarted():
                return [*self._track(message.match, now_s), Notify(message)]
            case MatchEnded():
                return self._ended(message)
            case Refused():
                return self._refused(message)
            case Busy():
                return self._busy(message)
            case Challenged():  # `yours`: the bot has challenged, there is nothing to answer
                return [] if message.yours else [AskAboutChallenge(message)]
            case DrawOffered():
                return self._draw_offered(message)
            case TakeBackAsked():  # nothing is at stake: such a match is not rated
                return [Send(TakeBack(match=message.match, ply=message.ply, agree=True))]
            case _:
                return [Notify(message)]

    def chosen(self, number: int, choice: Choice) -> list[Action]:
        """The bot has answered; dropped when the answer is no longer needed."""
        found = self._state_of_think(number)
        if found is None:
            return []
        match, state = found
        assert state.turn is not None
        state.answer = answer_messages(choice, match, state.turn.ply)
        state.think_number = 0
        return self._answer(state)

    def accept_draw(self, match: int, ply: int) -> list[Action]:
        """The bot takes the opponent's offer, if the match is still at that ply."""
        state = self._matches.get(match)
        if state is None or state.turn is None or state.turn.ply != ply or not self._is_current(state):
            return []
        return [Send(DrawOffer(match=match, ply=ply))]

    def challenge_answered(self, challenge: Challenged, accepted: bool) -> list[Action]:
        """The bot has decided about a challenge."""
        if not self.connected:
            return []
        if self._has_enough(self.started):
            return [Send(Decline(challenge=challenge.challenge, reason="plays no more matches"))]
        if accepted:
            return [Send(Accept(challenge=challenge.challenge))]
        return [Send(Decline(challenge=challenge.challenge))]

    def retry(self, about: str) -> list[Action]:
        """The waiting time of a `busy` is over: send again what was not carried out."""
        if not self.connected:
            return []
        if about == "seek":
            return self._seeks(plain=True)  # those in `hello`, too: the server has carried out none of them
        return [action for state in self._matches.values() for action in self._answer(state)]

    def _has_enough(self, count: int) -> bool:
        return self.config.matches is not None and count >= self.config.matches + self._more

    def _is_current(self, state: MatchState) -> bool:
        return self.connected and state.connection == self._connection

    def _answer(self, state: MatchState) -> list[Action]:
        if state.answer is None or not self._is_current(state):
            return []
        return [Send(message) for message in state.answer]

    def _state_of_think(self, number: int) -> tuple[int, MatchState] | None:
        return next(((match, state) for match, state in self._matches.items() if state.think_number == number), None)

    def _think(self, state: MatchState, refused: str = "") -> list[Action]:
        assert state.turn is not None
        self._think_count += 1
        state.think_number, state.answer = self._think_count, None
        state.attempts += 1
        return [Think(self._think_count, state.turn, state.received_s, refused)]

    def _stop(self, state: MatchState) -> list[Action]:
        number, state.think_number = state.think_number, 0
        return [StopThinking(number)] if number else []

    def _track(self, match: int, now_s: float) -> list[Action]:
        """Count a match at its first message; the last one wanted ends the seeking."""
        if match in self._matches:
            return []
        self._matches[match] = MatchState()
        self.started += 1
        if self._until_s is None:
            self._until_s = now_s + self.config.at_least_s
        if self._has_enough(self.started) and now_s < self._until_s:
            self._more += MATCHES_OF_A_PAIR
        elif self.config.matches is not None and self.started == self.config.matches + self._more and self.connected:
            return [Send(Unseek(game=seek.game)) for seek in self.config.seeks]
        return []

    def _welcomed(self, message: Welcome, now_s: float) -> list[Action]:
        self.connected, self.name = True, message.name
        running = {match.match for match in message.matches}
        actions: list[Action] = [Notify(message)]
        for match in [match for match in self._matches if match not in running]:
            actions += [*self._stop(self._matches.pop(match)), MatchMissed(match)]
            self.finished += 1
        for match in running:
            actions += self._track(match, now_s)
        if self.done:
            return [*actions, CloseConnection()]
        unknown = [seek.game for seek in self.config.seeks if seek.game not in message.games]
        if unknown:
            return [*actions, Abort(f"the server has no game {unknown[0]!r} (it has: {', '.join(message.games)})")]
        named = self.config.games
        if named and not set(named) & set(message.games):
            there = ", ".join(message.games)
            return [*actions, Abort(f"the server has none of this bot's games: {', '.join(named)} (it has: {there})")]
        return actions + self._seeks(plain=False)

    def _seeks(self, plain: bool) -> list[Action]:
        """The seeks to be sent. plain: also those that were part of `hello`."""
        if self._has_enough(self.started):
            return []
        return [Send(seek) for seek in self.config.seeks if plain or not is_plain(seek)]

    def _turn(self, turn: Turn, now_s: float) -> list[Action]:
        actions = self._track(turn.match, now_s)
        state = self._matches[turn.match]
        known, state.turn, state.received_s = state.turn, turn, now_s
        illegal_before, state.illegal_moves = state.illegal_moves, turn.illegal_moves
        state.connection = self._connection
        same = known is not None and (known.ply, known.position) == (turn.ply, turn.position)
        if not same:
            # the match has gone on without the answer that was being thought about
            state.attempts = 0
            return [*actions, *self._stop(state), *self._think(state)]
        if state.answer is not None and turn.illegal_moves > illegal_before:
            # The refusal itself was lost with the connection; sending the same again would cost another illegal move.
            return [*actions, *self._think(state, "the last move was refused as illegal")]
        return actions + self._answer(state)  # no answer yet while `choose` runs

    def _ended(self, message: MatchEnded) -> list[Action]:
        state = self._matches.pop(message.match, None)
        if state is None:
            return [Notify(message)]
        self.finished += 1
        actions: list[Action] = [*self._stop(state), Notify(message)]
        return [*actions, CloseConnection()] if self.done else actions

    def _draw_offered(self, message: DrawOffered) -> list[Action]:
        state = self._matches.get(message.match)
        if state is None or state.turn is None or not state.think_number or state.turn.draw_offered:
            return [Notify(message)]  # a turn that says so itself is asked about before the move is thought about
        return [Notify(message), AskAboutDraw(state.turn, state.received_s)]

    def _busy(self, message: Busy) -> list[Action]:
        self.busy_ms = message.retry_ms
        again = message.about in ("seek", "move")
        return [Notify(message), *([RetryLater(message.retry_ms, message.about)] if again else [])]

    def _refused(self, message: Refused) -> list[Action]:
        actions: list[Action] = [] if message.code in EXPECTED_REFUSALS else [Notify(message)]
        state = self._matches.get(message.match or 0)  # no match has the number 0
        if state is None or message.about != "move" or message.code in FINAL_REFUSALS:
            return actions
        if state.turn is not None and message.illegal_left is not None:
            state.illegal_moves = state.turn.illegal_limit - 1 - message.illegal_left
        if state.turn is None or state.answer is None or message.ply not in (None, state.turn.ply):
            return actions
        sent = next((part.move for part in state.answer if isinstance(part, Move)), "")
        if state.attempts >= MOST_ATTEMPTS:
            state.answer = (Resign(match=state.turn.match),)
            return actions + self._answer(state)
        return actions + self._think(state, f"{sent}: {message.message}")


def is_plain(seek: Seek) -> bool:
    """Whether a seek asks for nothing but a game, so that `hello` can carry it."""
    return seek == Seek(game=seek.game)

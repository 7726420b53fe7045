"""What a bot owes the server, as a state machine without socket, clock or thread.

    session = Session(Wishes(name="amy", seeks=(Seek(game="nim"),)))
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
    Turn,
    Unseek,
    Welcome,
)

MOST_ATTEMPTS = 10  # answers to one turn; the server's own limit of illegal moves is smaller

# Refusals of a move after which the turn does not wait for another answer from here.
SETTLED = frozenset(
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
EXPECTED = frozenset({RefusalCode.ALREADY_PLAYED, RefusalCode.MATCH_OVER, RefusalCode.NOT_SEEKING})


class Wishes(NamedTuple):
    """What the bot wants.

    seeks: games it asks matches in, again after each.  matches: stop after so many, None for never.
    at_once: how many matches it will play at the same time.
    """

    name: str
    token: str = ""
    version: str = ""
    client: str = ""
    games: tuple[str, ...] = ()
    seeks: tuple[Seek, ...] = ()
    matches: int | None = None
    at_once: int = 1
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
    """Nobody waits for this thought any more."""

    number: int


class Tell(NamedTuple):
    """Call the bot's hook for this message, or show it to the bot's author."""

    message: ServerMessage


class AskDraw(NamedTuple):
    """The opponent offers a draw while the bot thinks about `turn`: ask it."""

    turn: Turn
    received_s: float


class AskChallenge(NamedTuple):
    """Ask the bot whether it accepts."""

    challenge: Challenged


class Later(NamedTuple):
    """The server is busy: wait as `busy` says and then call `session.retry(about)`."""

    retry_ms: int
    about: str


class Missed(NamedTuple):
    """A match that ended while the bot was not connected."""

    match: int


class Finish(NamedTuple):
    """All the matches wanted have been played: close the connection."""


class GiveUp(NamedTuple):
    """Nothing that is wanted can be had here; the text says why, for the bot's author."""

    text: str


Action = GiveUp | Send | Think | StopThinking | Tell | AskDraw | AskChallenge | Later | Missed | Finish


@dataclass(slots=True)
class Memory:
    """What is known of one running match.  answer: what was chosen for `turn`, None while it is being thought about."""

    turn: Turn | None = None
    received_s: float = 0.0
    connection: int = 0
    thought: int = 0
    attempts: int = 0
    answer: tuple[AnswerMessage, ...] | None = None


@dataclass(slots=True)
class Session:
    """The state of one bot over all its connections."""

    wishes: Wishes
    name: str = ""
    started: int = 0
    finished: int = 0
    connected: bool = False
    busy_ms: int = 0
    _connection: int = 0
    _thoughts: int = 0
    _matches: dict[int, Memory] = field(default_factory=dict)

    @property
    def running(self) -> tuple[int, ...]:
        """The matches believed to be running."""
        return tuple(self._matches)

    @property
    def done(self) -> bool:
        """Whether as many matches as wanted have been played to their end."""
        return self._enough(self.finished) and not self._matches

    def hello(self) -> Hello:
        """A connection is open: its first message."""
        self._connection += 1
        self.busy_ms = 0
        wishes = self.wishes
        most = wishes.at_once if wishes.matches is None else min(wishes.at_once, wishes.matches)
        return Hello(
            name=self.name or wishes.name,  # as welcomed before: a guest with a suffix comes back as the same
            token=wishes.token,
            version=wishes.version,
            games=wishes.games,
            seek=() if self._enough(self.started) else tuple(seek.game for seek in wishes.seeks if is_plain(seek)),
            max_matches=max(most, 1),
            legal_moves=wishes.legal_moves,
            client=wishes.client,
        )

    def lost(self) -> None:
        """The connection is gone. Thinking goes on; answers are kept for when their turn comes again."""
        self.connected = False

    def received(self, message: ServerMessage, now_s: float) -> list[Action]:
        """What to do about a message.  now_s: when it was read, on a clock that never goes back."""
        match message:
            case Welcome():
                return self._welcomed(message)
            case Turn():
                return self._turn(message, now_s)
            case MatchStarted():
                return [*self._remember(message.match), Tell(message)]
            case MatchEnded():
                return self._ended(message)
            case Refused():
                return self._refused(message)
            case Busy():
                return self._busy(message)
            case Challenged():
                return [] if message.yours else [AskChallenge(message)]
            case DrawOffered():
                return self._draw_offered(message)
            case _:
                return [Tell(message)]

    def chosen(self, number: int, choice: Choice) -> list[Action]:
        """The bot has answered; dropped when nobody waits for it."""
        found = self._thinking(number)
        if found is None:
            return []
        match, memory = found
        assert memory.turn is not None
        memory.answer = answer_messages(choice, match, memory.turn.ply)
        memory.thought = 0
        return self._answer(memory)

    def accept_draw(self, match: int, ply: int) -> list[Action]:
        """The bot takes the opponent's offer, if the match is still at that ply."""
        memory = self._matches.get(match)
        if memory is None or memory.turn is None or memory.turn.ply != ply or not self._current(memory):
            return []
        return [Send(DrawOffer(match=match, ply=ply))]

    def challenge_answered(self, challenge: Challenged, accepted: bool) -> list[Action]:
        """The bot has decided about a challenge."""
        if not self.connected:
            return []
        if self._enough(self.started):
            return [Send(Decline(challenge=challenge.challenge, reason="plays no more matches"))]
        if accepted:
            return [Send(Accept(challenge=challenge.challenge))]
        return [Send(Decline(challenge=challenge.challenge))]

    def retry(self, about: str) -> list[Action]:
        """The waiting time of a `busy` is over: say again what was not carried out."""
        if not self.connected:
            return []
        if about == "seek":
            return self._seeks(plain=True)
        return [action for memory in self._matches.values() for action in self._answer(memory)]

    def _enough(self, count: int) -> bool:
        return self.wishes.matches is not None and count >= self.wishes.matches

    def _current(self, memory: Memory) -> bool:
        return self.connected and memory.connection == self._connection

    def _answer(self, memory: Memory) -> list[Action]:
        if memory.answer is None or not self._current(memory):
            return []
        return [Send(message) for message in memory.answer]

    def _thinking(self, number: int) -> tuple[int, Memory] | None:
        return next(((match, memory) for match, memory in self._matches.items() if memory.thought == number), None)

    def _think(self, memory: Memory, refused: str = "") -> list[Action]:
        assert memory.turn is not None
        self._thoughts += 1
        memory.thought, memory.answer = self._thoughts, None
        memory.attempts += 1
        return [Think(self._thoughts, memory.turn, memory.received_s, refused)]

    def _stop(self, memory: Memory) -> list[Action]:
        number, memory.thought = memory.thought, 0
        return [StopThinking(number)] if number else []

    def _remember(self, match: int) -> list[Action]:
        """Count a match when it is heard of for the first time; the last one wanted ends the seeking."""
        if match in self._matches:
            return []
        self._matches[match] = Memory()
        self.started += 1
        if self.wishes.matches == self.started and self.connected:
            return [Send(Unseek(game=seek.game)) for seek in self.wishes.seeks]
        return []

    def _welcomed(self, message: Welcome) -> list[Action]:
        self.connected, self.name = True, message.name
        running = {match.match for match in message.matches}
        actions: list[Action] = [Tell(message)]
        for match in [match for match in self._matches if match not in running]:
            actions += [*self._stop(self._matches.pop(match)), Missed(match)]
            self.finished += 1
        for match in running:
            actions += self._remember(match)
        if self.done:
            return [*actions, Finish()]
        unknown = [seek.game for seek in self.wishes.seeks if seek.game not in message.games]
        if unknown:
            return [*actions, GiveUp(f"the server has no game {unknown[0]!r} (it has: {', '.join(message.games)})")]
        return actions + self._seeks(plain=False)

    def _seeks(self, plain: bool) -> list[Action]:
        """The seeks to be sent; plain: also those that `hello` has carried."""
        if self._enough(self.started):
            return []
        return [Send(seek) for seek in self.wishes.seeks if plain or not is_plain(seek)]

    def _turn(self, turn: Turn, now_s: float) -> list[Action]:
        actions = self._remember(turn.match)
        memory = self._matches[turn.match]
        known, memory.turn, memory.received_s = memory.turn, turn, now_s
        memory.connection = self._connection
        same = known is not None and (known.ply, known.position) == (turn.ply, turn.position)
        if not same:
            memory.attempts = 0
            return [*actions, *self._stop(memory), *self._think(memory)]
        assert known is not None
        if memory.answer is not None and turn.illegal_moves > known.illegal_moves:
            # The refusal itself was lost with the connection; sending the same again would cost another illegal move.
            return [*actions, *self._think(memory, "the last move was refused as illegal")]
        if memory.answer is None and not memory.thought:
            return [*actions, *self._think(memory)]
        return actions + self._answer(memory)

    def _ended(self, message: MatchEnded) -> list[Action]:
        memory = self._matches.pop(message.match, None)
        if memory is None:
            return [Tell(message)]
        self.finished += 1
        actions: list[Action] = [*self._stop(memory), Tell(message)]
        return [*actions, Finish()] if self.done else actions

    def _draw_offered(self, message: DrawOffered) -> list[Action]:
        memory = self._matches.get(message.match)
        if memory is None or memory.turn is None or not memory.thought or memory.turn.draw_offered:
            return [Tell(message)]  # a turn that says so itself is asked about before the move is thought about
        return [Tell(message), AskDraw(memory.turn, memory.received_s)]

    def _busy(self, message: Busy) -> list[Action]:
        self.busy_ms = message.retry_ms
        again = message.about in ("seek", "move")
        return [Tell(message), *([Later(message.retry_ms, message.about)] if again else [])]

    def _refused(self, message: Refused) -> list[Action]:
        actions: list[Action] = [] if message.code in EXPECTED else [Tell(message)]
        memory = self._matches.get(message.match or 0)
        if memory is None or message.about != "move" or message.code in SETTLED:
            return actions
        if memory.turn is None or memory.answer is None or message.ply not in (None, memory.turn.ply):
            return actions
        sent = next((part.move for part in memory.answer if isinstance(part, Move)), "")
        if memory.attempts >= MOST_ATTEMPTS:
            memory.answer = (Resign(match=memory.turn.match),)
            return actions + self._answer(memory)
        return actions + self._think(memory, f"{sent}: {message.message}")


def is_plain(seek: Seek) -> bool:
    """Whether a seek asks for nothing but a game, so that `hello` can carry it."""
    return seek == Seek(game=seek.game)

"""xboard's protocol (CECP, version 2) as an `EngineProtocol`. The engine keeps the game and is told each move once."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.bots.adapters.engine_options import PONDER, OfferedOption, check_options, ponders
from tabiya.bots.adapters.engine_protocol import EngineProtocol, EngineProtocolError, FollowedGame
from tabiya.bots.adapters.uci_protocol import margin_s
from tabiya.bots.adapters.xboard_text import (
    CASTLING,
    FISCHERANDOM,
    LOST,
    START,
    Thought,
    clock_lines,
    edit_lines,
    offered_option,
    read_features,
    read_move,
    read_thought,
    time_control_line,
    written_move,
)
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.bots.players.catalogue import CHESS960
from tabiya.bots.players.lazy_rules import NeedsEngine

LONGEST_START_S = 60.0  # of a program that asks for more time by done=0
DEFAULTS = {"ping": "0", "setboard": "0", "usermove": "0", "reuse": "1", "time": "1", "draw": "1", "variants": ""}
REJECTED = ("san", "1")  # moves go in coordinates
COMMANDS = {"memory": "memory", "smp": "cores"}  # features that are set by a command of their own
DEPTH = OfferedOption("sd", (1, 99))  # every engine has it


class XboardProtocol(EngineProtocol):
    """The position goes by `setboard` or `edit` once, then each move of the opponent; clocks by `time` and `otim`."""

    protocol, hello, ready = "xboard's protocol, version 2", "feature done=1", "pong"

    def __init__(self, options: Sequence[tuple[str, str]] = ()) -> None:
        """options: of the engine, and the protocol's own `memory`, `cores`, `sd` (depth) and `Ponder`."""
        self.name = ""
        self._ponders, self._offered = ponders(options), {DEPTH.name: DEPTH}
        self._options = [option for option in options if option[0].casefold() != PONDER.casefold()]
        self._features = dict(DEFAULTS)
        self._answers: list[str] = []  # to its features
        self._pings, self._is_new = 0, False
        self._variant: list[str] = []  # the order by which it plays Chess960; empty: it plays chess
        self._castles_in_words = True
        self._game = FollowedGame()
        self._request = MoveRequest(match=0, game="", seat=0, ply=0, position="", history_position="")
        self._thought, self._offers_draw, self._comment = Thought(), False, ""

    def greeting(self) -> list[str]:
        """See `EngineProtocol.greeting`."""
        return ["xboard", "protover 2"]

    def is_greeted(self, line: str) -> bool:
        """See `EngineProtocol.is_greeted`."""
        for name, value in read_features(line):
            self._features[name] = value
            self._answers.append(f"{'rejected' if (name, value) == REJECTED else 'accepted'} {name}")
            if name == "option":
                option = offered_option(value)
                self._offered[option.name.casefold()] = option
            elif name in COMMANDS and value == "1":
                self._offered[COMMANDS[name]] = OfferedOption(COMMANDS[name])
            elif name == "done" and value == "1":
                self._introduced()
                return True
        return False

    def more_time_s(self) -> float | None:
        """See `EngineProtocol.more_time_s`: silence ends an introduction that does not say how it ends."""
        if not self._answers:
            return None
        if self._features.get("done") == "0":
            return LONGEST_START_S
        self._introduced()
        return 0

    def settings(self) -> list[str]:
        """See `EngineProtocol.settings`."""
        thinks = "hard" if self._ponders else "easy"
        return [*self._answers, thinks, "post", *(self._option_line(*option) for option in self._options)]

    def new_game(self, game: str) -> list[str]:
        """See `EngineProtocol.new_game`."""
        self._variant, self._is_new = self._variant_of(game), True
        self._game.forget()
        self._pings += 1
        return [*self._new(), f"ping {self._pings}"] if self.says_ready else self._new()

    def is_ready(self, line: str) -> bool:
        """See `EngineProtocol.is_ready`."""
        return line == f"pong {self._pings}"

    def search(self, request: MoveRequest) -> list[str]:
        """See `EngineProtocol.search`."""
        self._request, self._thought = request, Thought()
        clocks = clock_lines(request) if self._features["time"] == "1" else []
        draw = ["draw"] if request.draw_offered and self._features["draw"] == "1" else []
        move = self._game.next_move(request)
        if move is not None:  # it is not castling where the history begins behind it
            [move] = self._moves(request, len(request.history_moves) - 1) or [move]
            return [*clocks, *draw, self._move_line(move)]
        new = [] if self._is_new else self._new()
        self._is_new = False
        control = time_control_line(request, margin_s(request.budget_s))
        return [*new, control, *self._position(request), *clocks, *draw, "go"]

    def read_reply(self, line: str) -> MoveReply | None:
        """See `EngineProtocol.read_reply`."""
        word, _, rest = line.partition(" ")
        if word == "tellopponent":
            self._comment = rest
        elif word == "offer":
            self._offers_draw = True
        elif thought := read_thought(line):
            self._thought = thought
        elif word in ("resign", LOST[self._request.seat]):
            return MoveReply(move="", resign=True)
        elif word == "Illegal" or (word == "Error" and CASTLING in rest):
            self._game.forget()
            self._castles_in_words &= CASTLING not in rest  # Fairy-Stockfish takes the king's move onto its rook
            return MoveReply(move="", text=line)
        elif (move := read_move(line, self._request)) is not None:
            return self._reply(move)
        return None

    def game_over(self) -> list[str]:
        """See `EngineProtocol.game_over`."""
        return ["force"] if self._ponders else []

    def stop(self) -> list[str]:
        """See `EngineProtocol.stop`."""
        return ["?"]

    def _introduced(self) -> None:
        check_options(self._options, self._offered)
        self.name = self._features.get("myname", "")
        self.says_ready, self.reusable = self._features["ping"] == "1", self._features["reuse"] == "1"

    def _option_line(self, name: str, value: str) -> str:
        option = self._offered[name.casefold()].name
        if option in ("memory", "cores", DEPTH.name):
            return f"{option} {value}"
        return f"option {option}={value}" if value else f"option {option}"

    def _new(self) -> list[str]:
        """A game that does not begin yet; `new` forgets the variant and the depth."""
        depth = [self._option_line(*option) for option in self._options if option[0].casefold() == DEPTH.name]
        return ["new", *self._variant, *depth, "force"]

    def _variant_of(self, game: str) -> list[str]:
        if game != CHESS960:
            return []
        if FISCHERANDOM not in self._features["variants"].split(",") or self._features["setboard"] != "1":
            raise EngineProtocolError(
                f"does not play Chess960: its features lack the variant {FISCHERANDOM}, or setboard"
            )
        return [f"variant {FISCHERANDOM}"]

    def _moves(self, request: MoveRequest, first: int = 0) -> list[str]:
        """The moves of the history from `first` on, as it reads them."""
        game, base, moves = request.game, request.history_position, request.history_moves
        if not self._variant or not self._castles_in_words:
            return list(moves[first:])
        try:
            return [written_move(game, base, moves[:ply], moves[ply]) for ply in range(max(0, first), len(moves))]
        except NeedsEngine as error:
            raise EngineProtocolError(f"cannot be told of castling: {error}") from None

    def _position(self, request: MoveRequest) -> list[str]:
        fen = request.history_position
        if fen == START and not self._variant:
            lines = []
        elif self._features["setboard"] == "1":
            lines = [f"setboard {fen}"]
        else:
            black = [self._move_line("a2a3")] if fen.split()[1] == "b" else []
            lines = [*black, *edit_lines(fen)]
        return [*lines, *map(self._move_line, self._moves(request))]

    def _move_line(self, move: str) -> str:
        return f"usermove {move}" if self._features["usermove"] == "1" else move

    def _reply(self, move: str) -> MoveReply:
        self._game.answered(self._request)
        offers, self._offers_draw = self._offers_draw, False
        comment, self._comment = self._comment, ""
        thought = self._thought
        return MoveReply(
            move=move,
            depth=thought.depth,
            score=thought.score,
            nodes=thought.nodes,
            pv=(move,),
            text=comment,
            accept_draw=offers and self._request.draw_offered,
            offer_draw=offers and not self._request.draw_offered,
        )

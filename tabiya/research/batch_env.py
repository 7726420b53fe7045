"""Many games of one kind stepped at once: observations, masks of legal actions, rewards and ends as NumPy arrays.

environment = BatchEnv("…", autoreset=True)
now = environment.reset(1024, seed=1)
while True:
    now = environment.step(environment.random_actions())
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabiya.games import batch
from tabiya.games.batch import LONGEST_WORD, REPEATED, Games, no_words
from tabiya.games.endings import Ending
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.games.rules import DRAW, ONGOING, Outcome, States
from tabiya.research.encoding import Array, Encoding, EncodingError

ROOM = 128  # positions that each game remembers, at first
WORDS = 64  # size of the table of moves, at first


class Batch(NamedTuple):
    """The result of a step. The next step overwrites these arrays: copy those that you keep."""

    observations: Array  # int8[games, rows, columns, planes]
    masks: Array  # int8[games, actions]: 1 for each legal action; none in a game that is over
    to_move: Array  # int8[games]: the seat to move, 0 or 1
    rewards: NDArray[np.float32]  # float32[games, 2]: by seat, 1 and -1 where the last step has ended a game, else 0
    done: NDArray[np.bool_]  # bool[games]: whether it has ended; with autoreset, whether the last step ended one


class BatchEnv:
    """Games from one start. Observations and actions are those of `GameEnv` of the same game and options.

    autoreset: a game that has ended begins again in the same step: rewards and `done` are of the old one, observation,
    mask and seat of the new one. Without, it stays as it is, and its actions are not looked at.

    A game ends as it does for the referee; of repetitions the keys alone are compared, 64 bits. A step is compiled, for
    all games together; the rules of a game in plain Python are asked for each game, and the pictures of a game without
    `piece_on` looked at for each.  start: the position.  encoding: of observations and actions.  plies: int32[games],
    moves in the game that goes on.
    """

    plies: NDArray[np.int32]

    def __init__(self, game: str, *, autoreset: bool = False, **options: object) -> None:
        """options: of the start.  Raises UnknownGame, OptionError, and EncodingError for a game without encoding."""
        self.game, self.autoreset = load_game(game), autoreset
        self.start = self.game.start(options)
        self.encoding = Encoding(self.start)
        if self.game.max_move_text > LONGEST_WORD:
            raise EncodingError(f"moves of {self.game.title} are too long: {LONGEST_WORD} letters at most")
        self._words = no_words(WORDS)
        self._known: dict[str, int] = {}

    def reset(self, games: int, seed: int = 0) -> Batch:
        """Begin `games` games. seed: of `random_actions`; nothing else is random."""
        start = self.game.new_states()
        start[0] = self.start.state
        moves, actions = (np.zeros((games, self.game.max_moves), np.int32) for _ in "ma")
        self._games = Games(
            start=start,
            child=self.game.new_states(),
            states=np.repeat(start, games),
            live=np.ones(games, np.bool_),
            keys=np.zeros((games, ROOM), np.uint64),
            since=np.zeros(games, np.int32),
            moves=moves,
            actions=actions,
            counts=np.zeros(games, np.int32),
            masks=np.zeros((games, self.encoding.actions), np.int8),
            to_move=np.zeros(games, np.int8),
            rewards=np.zeros((games, 2), np.float32),
            done=np.zeros(games, np.bool_),
            results=np.full(games, ONGOING, np.int64),
            texts=np.zeros((games, self.game.max_move_text), np.uint8),
            random=np.random.default_rng(seed).integers(0, 2**64, games, np.uint64),
        )
        self.plies = np.zeros(games, np.int32)
        self._observations = np.zeros((games, *self.encoding.shape), np.int8)
        return self._described()

    def step(self, actions: ArrayLike) -> Batch:
        """Play an action in each game that goes on. Raises EncodingError, before anything is played."""
        games = self._games
        asked, chosen = np.asarray(actions).astype(np.int64, casting="safe"), np.zeros(len(games.live), np.int32)
        if asked.shape != chosen.shape:
            raise EncodingError(f"{len(chosen)} games take an array of as many actions, not one of shape {asked.shape}")
        wrong = batch.chosen_moves(games, asked, chosen)
        if wrong < len(chosen):
            position = Position.at(self.game, games.states[wrong])
            raise EncodingError(f"game {wrong}: action {asked[wrong]} is no legal move in {position.text()}")
        self.plies += games.live
        batch.play(self.game, games, chosen)
        return self._described()

    def random_actions(self) -> NDArray[np.int64]:
        """A legal action for each game, drawn evenly; 0 for those that are over. The same seed draws the same."""
        drawn = np.zeros(len(self._games.live), np.int64)
        batch.draw_actions(self._games, drawn)
        return drawn

    @property
    def states(self) -> States:
        """The records of the positions; read them, never write to them."""
        return self._games.states

    @property
    def moves(self) -> NDArray[np.bytes_]:
        """The text of the last move of each game, of one that the last step ended as well."""
        return self._games.texts.view(f"S{self.game.max_move_text}")[:, 0]  # type: ignore[no-any-return]

    def outcome(self, number: int) -> Outcome | None:
        """How the game of this number ended, the last one with autoreset; None if none has."""
        result = int(self._games.results[number])
        if result == ONGOING:
            return None
        if result == REPEATED:
            return Outcome(None, Ending.THREEFOLD_REPETITION)
        return Outcome(None if result % 3 == DRAW else result % 3, self.game.endings[result // 3])

    def _described(self) -> Batch:
        games, begin = self._games, 0
        if games.since.max(initial=0) == games.keys.shape[1]:
            self._games = games = games._replace(keys=np.tile(games.keys, 2))
        letters = np.zeros(self.game.max_move_text, np.uint8)
        while begin < len(games.live):
            begin = batch.describe(self.game, games, self._words, letters, np.int64(begin), self.autoreset)
            if begin < len(games.live):
                self._learn(Position.at(self.game, games.states[begin]).legal_moves())
        if self.autoreset:
            self.plies[games.done] = 0
        self.encoding.observe_all(games.states, self._observations)
        return Batch(self._observations, games.masks, games.to_move, games.rewards, games.done)

    def _learn(self, moves: tuple[str, ...]) -> None:
        """Give compiled code the actions of these moves. Raises EncodingError."""
        new = {move: self.encoding.action(move) for move in moves if move not in self._known}
        self._known |= new
        if 2 * len(self._known) > len(self._words.words):
            self._words, new = no_words(4 << len(self._known).bit_length()), self._known
        for move, action in new.items():
            batch.add_word(self._words, np.frombuffer(move.encode(), np.uint8), np.int32(action))

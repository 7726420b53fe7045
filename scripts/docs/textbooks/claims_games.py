"""Claims judged on positions of the games: node counts, the same on every machine."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from statistics import mean

from scripts.docs.textbooks.judged import Verdict, Word, claim, judged
from scripts.docs.textbooks.positions import middle_games, sample
from tabiya.bots.textbook.board import Board, Judge, Wins
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, Report, SearchSetup, best_moves, run_listing
from tabiya.games.position import Position
from tabiya.games.registry import load_game, title

BY_EVALUATION = SearchSetup(Guess.EVALUATION)
DEEP = {"reversi": 6, "chess": 4, "tictactoe": 7, "nim": 7}  # plies of minimax that count quickly
LOST = "3x3x3 XO-OX-X-- O"
STALEMATE = "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"
DEFENDED_PAWN = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1"


def twin(
    name: str, position: Position, judge: Judge | None = None, setup: SearchSetup = PLAIN_SETUP
) -> CompiledListing:
    """The compiled listing for a position's game."""
    return CompiledListing(find(name), judge or Judge(book_evaluator(position.game)), setup)


def positions(name: str) -> tuple[Position, ...]:
    """Sixteen positions of a game."""
    if name == "chess":
        return middle_games()[:16]
    return sample(name, 16, {"tictactoe": 1, "nim": 0}.get(name, 12))


@functools.cache
def reports(name: str, listing: str, depth: int, setup: SearchSetup = PLAIN_SETUP) -> tuple[Report, ...]:
    """What a listing reports on the sixteen positions."""
    searcher = twin(listing, positions(name)[0], setup=setup)
    return tuple(searcher.search(position, depth) for position in positions(name))


def nodes(name: str, listing: str, depth: int, setup: SearchSetup = PLAIN_SETUP) -> int:
    """Nodes a listing visits in all sixteen positions."""
    return sum(report.nodes for report in reports(name, listing, depth, setup))


@claim("orders-of-magnitude", "001", "even without any order alpha-beta is orders of magnitude faster than minimax",
       "tabiya analyse chess -d 4")  # fmt: skip
def _orders_of_magnitude() -> Verdict:
    told, ratios = [], []
    for name, depth in DEEP.items():
        whole, cut = nodes(name, "minimax", depth), nodes(name, "alphabeta-failhard", depth)
        same = [r.value for r in reports(name, "minimax", depth)] == [
            r.value for r in reports(name, "alphabeta-failhard", depth)
        ]
        assert same
        ratios.append(whole / cut)
        told.append(f"{title(name)}, {depth} plies: {whole:,} against {cut:,} nodes, {whole / cut:.1f} times fewer")
    return judged(
        Word.CONDITION,
        min(ratios) < 10 < max(ratios),
        f"16 positions each: {'; '.join(told)}. It takes many moves or many plies to make an order of magnitude",
    )


@claim("extra-levels", "000", "alpha-beta lets a program look at least 2-3 levels deeper",
       "tabiya analyse reversi -d 6 --order evaluation")  # fmt: skip
def _extra_levels() -> Verdict:
    told, extra = [], []
    for name, depth in (("reversi", 5), ("chess", 3)):
        budget = nodes(name, "minimax", depth)
        for setup, words in ((PLAIN_SETUP, "unordered"), (BY_EVALUATION, "ordered by evaluation")):
            deepest = depth
            while deepest < depth + 6 and _within(name, deepest + 1, setup, budget):
                deepest += 1
            extra.append(deepest - depth)
            told.append(f"{title(name)} {words}: {deepest}")
    return judged(
        Word.CONDITION,
        min(extra) < 2 <= max(extra),
        "plies for at most the nodes of minimax at 5 plies of reversi and 3 of chess (16 positions each): "
        f"{'; '.join(told)}. Used properly means ordered",
    )


def _within(name: str, depth: int, setup: SearchSetup, budget: int) -> bool:
    """Whether alpha-beta searches the sixteen positions with at most so many nodes."""
    searcher = twin("alphabeta-failhard", positions(name)[0], setup=setup)
    try:
        for position in positions(name):
            budget -= searcher.search(position, depth, limit=budget).nodes
    except TooBig:
        return False
    return budget >= 0


@claim("best-three-to-five", "001", "probably only the best 3 to 5 moves need to be ordered",
       "tabiya analyse chess -d 4 --order evaluation --sort-top 3")  # fmt: skip
def _best_three() -> Verdict:
    told, share = [], []
    for name, depth in (("reversi", 6), ("chess", 4)):
        counts = {
            best: nodes(name, "alphabeta-failhard", depth, SearchSetup(Guess.EVALUATION, Sorting(best)))
            for best in (1, 2, 3, 5, 0)
        }
        none = nodes(name, "alphabeta-failhard", depth)
        share.append((none - counts[3]) / (none - counts[0]))
        told.append(
            f"{title(name)}, {depth} plies: none {none:,}, "
            + ", ".join(f"{best or 'all'} {count:,}" for best, count in counts.items())
        )
    return judged(
        Word.TRUE,
        min(share) > 0.8,
        f"nodes by how many moves are sorted to the front by evaluation: {'; '.join(told)}. Three moves bring "
        f"{min(share):.0%} to {max(share):.0%} of what sorting all brings",
    )


@claim("orders", "000", "check the moves that look better first: by evaluation, captures, the last iteration, killers",
       "tabiya analyse chess -d 4 -a alphabeta-failhard --order killer")  # fmt: skip
def _orders() -> Verdict:
    told, better = [], True
    for name, depth in (("reversi", 6), ("chess", 4)):
        counts = {guess: nodes(name, "alphabeta-failhard", depth, SearchSetup(guess)) for guess in Guess}
        better &= counts[Guess.EVALUATION] < counts[Guess.NONE] > counts[Guess.KILLER]
        told.append(f"{title(name)}, {depth} plies: " + ", ".join(f"{g} {c:,}" for g, c in counts.items()))
    return judged(
        Word.TRUE,
        better,
        f"nodes of alpha-beta by order: {'; '.join(told)} (iteration counts the iterations before, too)",
    )


@claim("pvs-in-games", "001", "PVS is a small improvement on alpha-beta",
       "tabiya analyse chess -d 4 -a alphabeta-failhard,pvs-failhard --order evaluation")  # fmt: skip
def _pvs_in_games() -> Verdict:
    told, gains = [], []
    for name, depth in (("reversi", 6), ("chess", 4)):
        for setup, words in ((PLAIN_SETUP, "unordered"), (BY_EVALUATION, "by evaluation")):
            plain, pvs = nodes(name, "alphabeta-failhard", depth, setup), nodes(name, "pvs-failhard", depth, setup)
            again = sum(report.researches for report in reports(name, "pvs-failhard", depth, setup))
            gains.append(1 - pvs / plain)
            told.append(f"{title(name)} {words} {plain:,} / {pvs:,} ({again:,})")
    return judged(
        Word.CONDITION,
        min(gains) < 0,
        f"nodes of alpha-beta / of PVS (searched again), 16 positions each: {'; '.join(told)}. It can go either way: "
        "every search again is a whole subtree, and where the order leaves little to cut, null windows save little",
    )


@claim("grain", "000", "dividing the evaluation by a constant prunes more and makes it less accurate",
       "tabiya analyse reversi -d 6 -a alphabeta-failhard --eval-granularity 50")  # fmt: skip
def _grain() -> Verdict:
    told, counts, losses = [], [], []
    for grain in (1, 10, 50, 200):
        count, loss = _with_grain("reversi", 5, grain)
        counts.append(count)
        losses.append(loss)
        told.append(f"by {grain}: {count:,} nodes, {loss:.0f} lost")
    return judged(
        Word.TRUE,
        counts == sorted(counts, reverse=True) and losses[0] == 0 < losses[-1],
        "alpha-beta, 5 plies, 16 positions of reversi; lost is how much less the chosen move is worth by the undivided "
        f"search, on the average, in hundredths of a disc: {'; '.join(told)}",
    )


def _with_grain(name: str, depth: int, grain: int) -> tuple[int, float]:
    coarse = twin("alphabeta-failhard", positions(name)[0], Judge(book_evaluator(load_game(name)), grain))
    fine = twin("minimax", positions(name)[0])
    count, losses = 0, []
    for position in positions(name):
        report = coarse.search(position, depth)
        count += report.nodes
        assert report.move is not None
        child = position.play(report.move)
        if child.outcome() is None:
            losses.append(fine.search(position, depth).value + fine.search(child, depth - 1).value)
    return count, mean(losses)


@claim("towards-zero", "000", "(the text does not say how to round)")
def _towards_zero() -> Verdict:
    differing = [0, 0]
    judge = Judge(book_evaluator(load_game("reversi")), grain=10)
    for position in positions("reversi"):
        node = Board(position, Judge(judge.evaluator))
        for move in position.legal_moves():
            value = node.play(move).eval()
            differing[0] += -(value // 10) != -value // 10
            differing[1] += -judge.coarse(value) != judge.coarse(-value)
    return judged(
        Word.CONDITION,
        differing[1] == 0 < differing[0],
        f"it matters: floor division by 10 gives the two sides different values in {differing[0]} positions of "
        f"reversi, so negamax is no longer minimax; towards zero in {differing[1]}",
    )


@claim("greedy-queen", "000", "a greedy program takes a pawn with its queen and loses the queen",
       f'tabiya analyse chess -p "{DEFENDED_PAWN}" -d 2 --evaluation material -a 000-greedy,minimax')  # fmt: skip
def _greedy_queen() -> Verdict:
    position = load_game("chess").parse(DEFENDED_PAWN)
    material = Judge(book_evaluator(position.game, "material"))
    greedy = twin("000-greedy", position, material).search(position, 1).move
    after = position.play("d1d5")
    before, reply = (twin("minimax", at, material).search(at, 1) for at in (position.play("e1e2"), after))
    best = twin("minimax", position, material).best_moves(position, 2)
    return judged(
        Word.TRUE,
        greedy == "d1d5" and "d1d5" not in best,
        f"in `{DEFENDED_PAWN}` it plays {greedy}, and {reply.move} answers: from {-before.value // 100} pawns ahead to "
        f"{reply.value // 100} behind; two plies of minimax do not",
    )


@claim("horizon", "000", "the same error comes back at the end of every search, whatever its depth",
       f'tabiya analyse chess -p "{DEFENDED_PAWN}" -d 1 --evaluation material --quiescence')  # fmt: skip
def _horizon() -> Verdict:
    position = load_game("chess").parse(DEFENDED_PAWN)
    errs, quiet = list[int](), list[int]()
    for plies in (1, 2, 3, 4, 5):
        for found, quiescence in ((errs, False), (quiet, True)):
            judge = Judge(book_evaluator(position.game, "material"), quiescence=quiescence)
            value = twin("alphabeta-failhard", position, judge).search(position, plies).value
            found.append(value)
    return judged(
        Word.TRUE,
        errs[0] > quiet[0] and max(quiet) == min(quiet) and errs[2] > errs[1],
        f"values in hundredths of a pawn at 1 to 5 plies: {', '.join(map(str, errs))} without quiescence: at every "
        f"odd depth the queen takes last and is never retaken. With it: {', '.join(map(str, quiet))}. Of our games "
        "only chess has noisy moves",
    )


@claim("lost-and-no-move", "000", "won is +infinity and lost -infinity; a move is taken if x > max",
       f'tabiya analyse tictactoe -p "{LOST}" -d 4 -a 000-negamax --wins infinite')  # fmt: skip
def _lost() -> Verdict:
    position = load_game("tictactoe").parse(LOST)
    infinite, sooner = (
        twin("000-negamax", position, Judge(book_evaluator(position.game), wins=wins)).search(position, 4)
        for wins in (Wins.INFINITE, Wins.SOONER)
    )
    return judged(
        Word.FALSE,
        infinite.move is None and sooner.move is not None and infinite.value == -INFINITY,
        f"in the lost position `{LOST}` no move is greater than the -infinity that max begins with: none is chosen. "
        f"Our players count a win in n plies as 30,000 - n, so that there is always a best move ({sooner.move} here)",
    )


@claim("no-moves-is-lost", "001, 003", "best = -LARGE_NUMBER, and then the moves: the end of the game is not asked for",
       f'tabiya analyse chess -p "{STALEMATE}" -d 2 -a 000-negamax,001-minimax')  # fmt: skip
def _stalemate() -> Verdict:
    position = load_game("chess").parse(STALEMATE)
    values = {
        name: -twin(name, position).search(position.play("f2f7"), 1).value
        for name in ("000-negamax", "001-minimax", "003-negamax")
    }
    chosen = twin("001-minimax", position).best_moves(position, 2)
    right = twin("000-negamax", position).best_moves(position, 2)
    return judged(
        Word.FALSE,
        values["001-minimax"] == values["003-negamax"] == INFINITY and values["000-negamax"] == 0
        and "f2f7" in chosen and "f2f7" not in right,
        f"a side without a move gets -infinity: right for mate, wrong for stalemate. In `{STALEMATE}` Qf7 stalemates; "
        "001 and 003 take it for a win and may play it, 000 knows the draw. The listings with short names test for the "
        "end",
    )  # fmt: skip


@claim("changes-of-a-move", "004", "to find the best move the value of the board itself is not needed",
       "tabiya analyse connect5 -m 'h8 h9' -a 000-greedy,004-greedy --evaluation fours")  # fmt: skip
def _gains() -> Verdict:
    same = 0
    boards = sample("connect5", 30, 20)
    for position in boards:
        node = Board(position, Judge(book_evaluator(position.game, "fours")))
        best = best_moves(find("004-greedy"), node, 1)
        same += set(best) == set(best_moves(find("000-greedy"), node, 1)) or _wins_at_once(position, best)
    report = run_listing(find("004-greedy"), Board(boards[0], Judge(book_evaluator(boards[0].game, "fours"))), 1)
    return judged(
        Word.TRUE,
        same == len(boards),
        f"choosing by what a move changes gives the same best moves as evaluating every board in {same} of "
        f"{len(boards)} positions of Connect 5, and looks at {report.nodes} board instead of "
        f"{len(boards[0].legal_moves()) + 1}",
    )


def _wins_at_once(position: Position, moves: Sequence[str]) -> bool:
    return all(position.play(move).outcome() is not None for move in moves)

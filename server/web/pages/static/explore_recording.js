// A recorded search as the server sends it: a row for each visit in the order of the visits, its columns as typed arrays.
// A search of n visits has 2n steps: each visit begins at one and ends at another.

export const INFINITY = 1_000_000;
const BYTES = { Int32: 4, Uint16: 2, Uint8: 1 }, ARRAYS = { Int32: Int32Array, Uint16: Uint16Array, Uint8: Uint8Array };
const BLOCK = 1024, NEWLINE = 10;

// The recording in an answer of the server. told: hears how many nodes are visited while it searches.
// Throws an Error with the server's sentence if it gives none.
export async function readRecording(response, told = () => {}) {
  const reader = response.body.getReader();
  const [head, rest] = await readHead(reader, told);
  return new Recording(head, await readColumns(reader, rest, head.columns));
}

async function readHead(reader, told) {
  for (let kept = new Uint8Array(0); ;) {
    for (let end = kept.indexOf(NEWLINE); end >= 0; end = kept.indexOf(NEWLINE)) {
      const line = JSON.parse(new TextDecoder().decode(kept.subarray(0, end)));
      kept = kept.subarray(end + 1);
      if (line.problem) throw new Error(line.problem);
      if (line.columns) return [line, kept];
      told(line.nodes);
    }
    const { done, value } = await reader.read();
    if (done) throw new Error("the server's answer is incomplete");
    const joined = new Uint8Array(kept.length + value.length);
    joined.set(kept);
    joined.set(value, kept.length);
    kept = joined;
  }
}

// One buffer for all columns: each begins at a multiple of its width, as the widest come first.
async function readColumns(reader, rest, shapes) {
  const packed = new ReadableStream({
    start(controller) { if (rest.length) controller.enqueue(rest); },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close(); else controller.enqueue(value);
    },
  });
  const bytes = new Uint8Array(shapes.reduce((sum, [, kind, length]) => sum + BYTES[kind] * length, 0));
  const unpacked = packed.pipeThrough(new DecompressionStream("deflate")).getReader();
  let at = 0;
  for (let part = await unpacked.read(); !part.done; part = await unpacked.read()) {
    bytes.set(part.value, at);
    at += part.value.length;
  }
  if (at !== bytes.length) throw new Error("the recording is incomplete");
  const columns = {};
  at = 0;
  for (const [name, kind, length] of shapes) {
    columns[name] = new ARRAYS[kind](bytes.buffer, at, length);
    at += BYTES[kind] * length;
  }
  return columns;
}

// Sums of a number of each visit, kept block by block.
class Sums {
  constructor(length, number) {
    [this.number, this.blocks] = [number, new Int32Array(Math.ceil(length / BLOCK) + 1)];
    let sum = 0;
    for (let at = 0; at < length; at++) {
      if (at % BLOCK === 0) this.blocks[at / BLOCK] = sum;
      sum += number(at);
    }
    this.blocks[this.blocks.length - 1] = sum;
  }

  // The first visit from one on, or the last one up to it (way -1), that has a number other than 0; -1: none.
  seek(from, length, way = 1) {
    for (let at = from; at >= 0 && at < length; at += way) {
      const block = Math.floor(at / BLOCK), isEdge = at % BLOCK === (way > 0 ? 0 : BLOCK - 1);
      if (isEdge && this.blocks[block] === this.blocks[block + 1]) at += way * (BLOCK - 1);
      else if (this.number(at)) return at;
    }
    return -1;
  }

  // Of all visits before one.
  before(visit) {
    const block = Math.floor(visit / BLOCK);
    let sum = this.blocks[block];
    for (let at = block * BLOCK; at < visit; at++) sum += this.number(at);
    return sum;
  }
}

export class Recording {
  // head: what the server says of the search.  columns: alpha, beta and value from the listing's view, and the others.
  constructor(head, columns) {
    Object.assign(this, { head, columns, moves: head.moves, ofMover: head.of_mover });
    [this.ply, this.leftCount] = [columns.ply, columns.left_count];
    this.length = this.ply.length;
    this.#shape();
    this.again = this.#searchedAgain();
    this.sums = {
      leaves: new Sums(this.length, (visit) => Number(this.sizes[visit] === 1)),
      cuts: new Sums(this.length, (visit) => Number(this.leftCount[visit] > 0)),
      unseen: new Sums(this.length, (visit) => this.leftCount[visit]),
      researches: new Sums(this.length, (visit) => this.again[visit]),
    };
  }

  get steps() { return 2 * this.length; }
  get hasWindows() { return this.head.fail !== "exact"; }

  // sizes: visits below each one, itself included.  parents: -1 above the root.
  #shape() {
    const open = [];
    [this.sizes, this.parents] = [new Int32Array(this.length), new Int32Array(this.length)];
    for (let visit = 0; visit < this.length; visit++) {
      open[this.ply[visit]] = visit;
      this.parents[visit] = this.ply[visit] ? open[this.ply[visit] - 1] : -1;
    }
    for (let visit = this.length - 1; visit >= 0; visit--) {
      this.sizes[visit] += 1;
      if (visit) this.sizes[this.parents[visit]] += this.sizes[visit];
    }
  }

  // Whether the parent of a visit had searched the same move before.
  #searchedAgain() {
    const again = new Uint8Array(this.length), tried = []; // by ply and move: the last parent that tried it, and 1
    for (let visit = 1; visit < this.length; visit++) {
      const by = tried[this.ply[visit]] ??= new Int32Array(this.moves.length), move = this.columns.move[visit];
      again[visit] = Number(by[move] === this.parents[visit] + 1);
      by[move] = this.parents[visit] + 1;
    }
    return again;
  }

  // The visits right below one, in order; a move that was searched again comes twice.
  below(visit) {
    const found = [], end = visit + this.sizes[visit];
    for (let at = visit + 1; at < end; at += this.sizes[at]) found.push(at);
    return found;
  }

  // From the root to a visit.
  path(visit) {
    const path = [];
    for (let at = visit; at >= 0; at = this.parents[at]) path.push(at);
    return path.reverse();
  }

  // Whether the same move is searched again right after this visit, whose value then counts for nothing.
  isOverruled(visit) {
    const next = visit + this.sizes[visit];
    return next < this.length && this.again[next] === 1 && this.parents[next] === this.parents[visit] && this.columns.move[next] === this.columns.move[visit];
  }

  isLeaf(visit) { return this.sizes[visit] === 1; }
  moveOf(visit) { return this.moves[this.columns.move[visit]]; }
  seatOf(visit) { return this.columns.seat[visit]; }
  movesTo(visit) { return this.path(visit).slice(1).map((at) => this.moveOf(at)); }

  // The moves that were not looked at below a visit.
  left(visit) {
    const start = this.leftCount[visit] ? this.sums.unseen.before(visit) : 0;
    return Array.from(this.columns.left_moves.subarray(start, start + this.leftCount[visit]), (move) => this.moves[move]);
  }

  // Alpha, beta and value of a visit from the view of Max, or of the side to move there.
  seenBy(visit, mover = false) {
    const { alpha, beta, value } = this.columns;
    const turned = this.seatOf(visit) === 1 && this.ofMover !== mover;
    return turned ? [-beta[visit], -alpha[visit], -value[visit]] : [alpha[visit], beta[visit], value[visit]];
  }

  // --- steps

  entered(visit) { return 2 * visit - this.ply[visit]; }
  finished(visit) { return 2 * (visit + this.sizes[visit]) - 1 - this.ply[visit]; }
  isAhead(visit, step) { return this.entered(visit) > step; }
  isDone(visit, step) { return this.finished(visit) <= step; }

  // The last visit that has begun by a step.
  lastBegun(step) {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.entered(middle) <= step) low = middle; else high = middle - 1;
    }
    return low;
  }

  // What happens at a step: { visit, isEnd }.
  at(step) {
    let visit = this.lastBegun(step);
    const ends = step - this.entered(visit);
    for (let up = 1; up < ends; up++) visit = this.parents[visit];
    return { visit, isEnd: ends > 0 };
  }

  // What had been counted when a step was done.
  counts(step) {
    const { visit, isEnd } = this.at(step), last = this.lastBegun(step), { leaves, cuts, unseen, researches } = this.sums;
    const found = {
      nodes: last + 1, leaves: leaves.before(last + 1), cuts: cuts.before(last + 1), unseen: unseen.before(last + 1),
      researches: researches.before(last + 1),
    };
    for (let open = isEnd ? this.parents[visit] : visit; open >= 0; open = this.parents[open]) {
      found.leaves -= Number(this.sizes[open] === 1);
      found.cuts -= Number(this.leftCount[open] > 0);
      found.unseen -= this.leftCount[open];
    }
    return found;
  }

  // The step of the first end after one, or of the last one before it, of a visit with moves that were not looked at; null: none.
  nextCut(step) {
    const last = this.lastBegun(step), next = this.sums.cuts.seek(last + 1, this.length);
    for (let open = last; open >= 0; open = this.parents[open]) { // the innermost ends first
      if (!this.leftCount[open] || this.finished(open) <= step) continue;
      if (next < 0 || this.finished(open) < this.entered(next)) return this.finished(open);
      break;
    }
    for (let visit = next; visit >= 0 && visit < this.length; visit++) { // below the next one others may end before it
      for (let end = visit; end >= next && this.#endsAfter(visit, end); end = this.parents[end]) if (this.leftCount[end]) return this.finished(end);
    }
    return null;
  }

  cutBefore(step) {
    let found = this.lastBegun(step) + 1;
    do found = this.sums.cuts.seek(found - 1, this.length, -1); while (found >= 0 && this.finished(found) >= step);
    for (let above = found; above >= 0; above = this.parents[above]) if (this.leftCount[above] && this.finished(above) < step) found = above;
    return found < 0 ? null : this.finished(found);
  }

  // Whether a visit ends between the beginning of another one, which is below it, and that of the next.
  #endsAfter(visit, end) { return visit + 1 === this.length || this.ply[end] >= this.ply[visit + 1]; }

  // --- what is known at a visit by a step

  // From the view of Max: the window as it is there now, the best value so far (null: none), and the visit below that
  // raised it last (-1: none), through which the principal variation goes.
  known(visit, step) {
    const sign = this.seatOf(visit) ? -1 : 1, [alpha, beta] = this.seenBy(visit), below = this.below(visit);
    let own = this.#resets(visit, below[0]) ? -INFINITY : sign === 1 ? alpha : -beta, best = null, through = -1;
    for (const child of below) {
      if (!this.isDone(child, step)) break;
      if (this.isOverruled(child)) continue;
      const mine = sign * this.seenBy(child)[2];
      if (best === null || mine > best) best = mine;
      if (mine > own) [own, through] = [mine, child];
    }
    return { alpha: sign === 1 ? own : alpha, beta: sign === 1 ? beta : -own, best: best === null ? null : sign * best, through };
  }

  // Whether a listing forgets its own bound here: what it hands down is less than what it was given.
  #resets(visit, child) {
    if (child === undefined || !this.hasWindows) return false;
    const [alpha, beta] = this.seenBy(visit), [below, above] = this.seenBy(child);
    return this.seatOf(visit) ? above > beta : below < alpha;
  }

  // The visits of the principal variation below one, as far as it is known by a step.
  line(visit, step) {
    const line = [];
    for (let at = this.known(visit, step).through; at >= 0; at = this.known(at, step).through) line.push(at);
    return line;
  }

  // Whether a value outside the window says no more than a bound: "<=", ">=" or "=".
  sign(visit, mover = false) {
    const [alpha, beta, value] = this.seenBy(visit, mover);
    if (!this.hasWindows || this.isLeaf(visit)) return "=";
    return value <= alpha ? "<=" : value >= beta ? ">=" : "=";
  }
}

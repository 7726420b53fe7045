// Which part of a search is drawn, and where: a few hundred nodes at most, the way to the current one always among them.
// An item is a visit, a move that was not looked at ("cut", in a typed tree with what is below it), or a gap for what is left out.

const MOST_DRAWN = 240, MOST_OPENED = 600, MOST_BELOW = 14, FIRST = 6, LAST = 2, MOST_KEPT = 5000;
const BESIDE = 12, APART = 20; // units between the boxes of siblings, of cousins
export const LEVEL = 92; // units from one ply to the next

export class Outline {
  // typed: the tree that was searched, null for a game.
  constructor(recording, typed) { [this.recording, this.typed, this.known] = [recording, typed, new Map()]; }

  // The root's item with all that is drawn below it.  open: visits whose way from the root is open whatever is folded.
  // folded, opened: keys of items that the reader has closed or opened.
  chosen({ open, folded, opened }) {
    const forced = new Set(open.flatMap((visit) => this.recording.path(visit))), root = this.#visit(0, null);
    let level = [root], drawn = 1, isFull = false;
    while (level.length) {
      const wanted = level.filter((item) => forced.has(item.visit) || !folded.has(item.key));
      isFull ||= drawn + wanted.reduce((sum, item) => sum + this.#kept(item, forced).length, 0) > MOST_DRAWN;
      const must = (item) => forced.has(item.visit) || (opened.has(item.key) && drawn < MOST_OPENED);
      level = [];
      for (const item of wanted) {
        if (isFull && !must(item)) continue;
        item.below = this.#below(item, forced);
        drawn += item.below.length;
        level.push(...item.below);
      }
    }
    return root;
  }

  #visit(visit, parent) {
    const number = this.recording.columns.number[visit], tree = this.typed && number >= 0 ? this.typed.nodes[number] : null;
    const size = this.recording.sizes[visit] + this.recording.leftCount[visit];
    return { key: String(visit), kind: "visit", visit, tree, move: this.recording.moveOf(visit), parent, below: [], inside: size - 1 };
  }

  #cut(move, tree, parent) {
    const key = `${parent.key}.${move}`;
    return { key, kind: "cut", visit: -1, tree, move, parent, below: [], inside: tree ? tree.size - 1 : 0 };
  }

  #below(item, forced) {
    const items = [];
    let next = 0;
    for (const at of this.#kept(item, forced)) {
      if (at > next) items.push(this.#gap(item, next, at - next));
      items.push(this.#child(item, at));
      next = at + 1;
    }
    return items;
  }

  #gap(parent, at, skipped) {
    return { key: `${parent.key}-${at}`, kind: "gap", visit: -1, parent, below: [], inside: 0, skipped, of: this.#count(parent) };
  }

  #count(item) {
    if (item.kind === "visit") return this.#visits(item).length + this.recording.leftCount[item.visit];
    return item.tree?.children.length ?? 0;
  }

  #visits(item) {
    if (!this.known.has(item.visit)) {
      if (this.known.size > MOST_KEPT) this.known.clear();
      this.known.set(item.visit, this.recording.below(item.visit));
    }
    return this.known.get(item.visit);
  }

  #child(item, at) {
    if (item.kind === "cut") return this.#cut(String(at + 1), item.tree.children[at], item);
    const visits = this.#visits(item);
    if (at < visits.length) return this.#visit(visits[at], item);
    const move = this.recording.left(item.visit)[at - visits.length];
    return this.#cut(move, item.tree && this.typed.child(item.tree, move), item);
  }

  // The places of those that are drawn below one: the first, the last, those on the way and beside it, the one that cut.
  #kept(item, forced) {
    const count = this.#count(item), places = (from, to) => Array.from({ length: to - from }, (_, at) => from + at);
    if (count <= MOST_BELOW) return places(0, count);
    const visits = item.kind === "visit" ? this.#visits(item) : [];
    const near = visits.flatMap((visit, at) => (forced.has(visit) ? [at - 1, at, at + 1] : []));
    const kept = new Set([...places(0, FIRST), ...near, visits.length - 1, ...places(count - LAST, count)]);
    return [...kept].filter((at) => at >= 0 && at < count).sort((one, other) => one - other);
  }
}

// All items from the root on, parents before those below them.
export function everyItem(root) { return [root, ...root.below.flatMap(everyItem)]; }

// Gives each item x and y (the middle of its upper edge) and returns the size of all. widthOf: of an item's box.
export function layOut(root, widthOf) {
  const { left, right } = contour(root, widthOf), edge = Math.min(...left);
  put(root, -edge, 0);
  return { width: Math.max(...right) - edge, height: (left.length - 1) * LEVEL };
}

// Sets the places of those below an item relative to it; returns how far it reaches to both sides, ply by ply.
function contour(item, widthOf) {
  const half = widthOf(item) / 2, left = [], right = [];
  for (const child of item.below) {
    const of = contour(child, widthOf);
    const room = (at) => (at === 0 ? BESIDE : APART);
    child.aside = Math.max(...of.left.map((reach, at) => (at < right.length ? right[at] + room(at) - reach : -Infinity)), left.length ? -Infinity : 0);
    of.left.forEach((reach, at) => { left[at] ??= child.aside + reach; });
    of.right.forEach((reach, at) => { right[at] = child.aside + reach; });
  }
  const middle = item.below.length ? (item.below[0].aside + item.below.at(-1).aside) / 2 : 0;
  for (const child of item.below) child.aside -= middle;
  return { left: [-half, ...left.map((reach) => reach - middle)], right: [half, ...right.map((reach) => reach - middle)] };
}

function put(item, x, y) {
  Object.assign(item, { x, y });
  for (const child of item.below) put(child, x + child.aside, y + LEVEL);
}

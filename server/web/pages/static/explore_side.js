// One search on the page: its tree, listing, counts and words, at one step.

import { BoardPanel } from "./explore_board.js";
import { Calls } from "./explore_calls.js";
import { byId } from "./dom.js";
import { Drawing } from "./explore_drawing.js";
import { ListingPanel } from "./explore_listing.js";
import { everyItem, Outline } from "./explore_outline.js";
import { Pan } from "./explore_pan.js";
import { leastWords, showBelow, showCounts, showPath } from "./explore_panels.js";
import { asked } from "./explore_question.js";
import { readRecording } from "./explore_recording.js";
import { TypedTree } from "./explore_typed_tree.js";
import { number, plural, spoken, Words } from "./explore_words.js";

const CALLS_MS = 60, SCROLLBAR = 20; // pixels by which a frame is narrower when one comes: the drawing stays
const READABLE = .54, WHOLE = .44; // scales down to which branches of a game, of a typed tree are opened by themselves

export class Side {
  // page: chosen(side, visit), edited(side, item, element), changed(): told what the reader does here.  listings: by name.
  constructor(page, listings) {
    Object.assign(this, { page, listings, step: 0, fine: 0, folded: new Set(), opened: new Set(), mover: false, hides: () => false, onlyHere: () => false });
    this.root = byId("side").content.firstElementChild.cloneNode(true);
    this.part = (name) => this.root.querySelector(`[data-of="${name}"]`);
    this.drawing = new Drawing(this.part("tree"), (item) => this.#look(item));
    this.pan = new Pan(this.part("tree"), () => page.changed(), () => { if (this.items && Math.abs(this.room - this.pan.room) > SCROLLBAR) this.draw(); });
    this.listing = new ListingPanel(this.root, this.part);
    this.root.addEventListener("pointerdown", () => page.choose(this));
    this.board = new BoardPanel(this.part("board-card"), this.part("board"));
    this.part("tree").addEventListener("click", (event) => this.#press(event));
    for (const button of this.root.querySelectorAll("[data-do]")) button.addEventListener("click", () => this.do(button.dataset.do));
  }

  // The recording that answers a question. told: hears of the visits.  Throws an Error.
  async asks(question, signal, told) { return readRecording(await asked("search", question, { signal }), told); }

  set(question, recording) {
    Object.assign(this, { question, recording, typed: recording.head.tree ? new TypedTree(recording.head.tree) : null, widths: new Map() });
    this.calls = new Calls(question, recording);
    this.outline = new Outline(recording, this.typed);
    this.name = recording.head.question.algorithm ?? "alphabeta-failhard";
    this.listing.set(this.listings.find(({ name }) => name === this.name) ?? null);
    this.part("title").textContent = this.name;
    this.part("about").textContent = [this.listing.listing?.about, question.order && `order: ${question.order}`].filter(Boolean).join("; ");
    this.part("least").textContent = leastWords(recording.head);
    this.see(this.mover);
  }

  // Numbers of the side to move, or of Max.
  see(mover) {
    this.mover = mover;
    this.words = new Words(this.recording, this.typed, mover);
    this.widths.clear();
  }

  get last() { return this.recording.steps - 1; }

  // fine: lines of the listing after that step.
  show(step, fine = 0) {
    [this.step, this.fine] = [Math.max(0, Math.min(this.last, step)), fine];
    this.draw();
    this.part("sentence").textContent = this.words.step(this.step, !this.page.isAsking);
    showCounts(this.part("counts"), this.recording, this.step, !this.page.isAsking);
    const choose = (visit) => this.page.chosen(this, visit);
    showPath(this.part("path"), this, choose);
    this.part("below-head").hidden = !showBelow(this.part("below"), this, choose);
    this.board.show(this, this.recording.movesTo(this.current));
    this.#showLine();
  }

  // --- the tree

  draw() {
    const { visit, isEnd } = this.recording.at(this.step), { folded, opened } = this;
    const line = this.recording.isDone(0, this.step) ? this.recording.line(0, this.step) : [];
    this.current = visit;
    this.way = new Set(this.recording.path(visit));
    this.line = new Set(this.page.isAsking && !line.length ? [] : [0, ...this.recording.line(0, this.step)]);
    const widthOf = (item) => this.drawing.width(item, this.#widths(item));
    this.room = this.pan.room;
    this.items = this.outline.chosen({ open: [visit, ...line.slice(-1)], folded, opened, room: this.room / (this.typed ? WHOLE : READABLE), widthOf });
    this.drawing.show(this.items, (item) => this.#widths(item), this.recording.hasWindows);
    this.pan.follow(this.drawing.size, this.drawing.place(String(visit)));
    this.#say(isEnd);
  }

  #say(isEnd) {
    const drawn = everyItem(this.items).filter(({ kind }) => kind === "visit").length, all = this.recording.length;
    const some = everyItem(this.items).filter(({ kind }) => kind === "gap"), gap = some[0];
    const sampled = gap ? ` Of ${gap.of} moves at one node ${gap.of - some.filter(({ parent }) => parent === gap.parent).reduce((sum, { skipped }) => sum + skipped, 0)} are drawn.` : "";
    this.part("drawn").textContent = drawn < all ? `${drawn.toLocaleString("en")} of ${plural(all, "visit")} drawn; what is folded has its number.${sampled}` : "";
    const where = `${this.words.name(this.current)} ${isEnd ? "has returned" : "has begun"}`;
    this.part("tree").setAttribute("aria-label", spoken(`The tree of ${plural(all, "visit")}; ${where}. The way here and what is below it are listed as buttons.`));
  }

  // Letters of the widest texts that an item will have.
  #widths(item) {
    if (!this.widths.has(item.key)) this.widths.set(item.key, this.#widest(item));
    return this.widths.get(item.key);
  }

  #widest(item) {
    const label = this.#label(item).length + (item.kind === "visit" ? 2 * this.onlyHere(item.visit) + 6 * this.recording.again[item.visit] : 0);
    if (item.kind !== "visit") return { value: this.#leafValue(item).length, window: 0, label };
    const { recording, mover } = this, value = this.words.value(item.visit).length;
    if (recording.isLeaf(item.visit)) return { value, window: 0, label };
    const letters = (numbers) => Math.max(...numbers.map((each) => number(each).length)), [alpha, beta] = recording.seenBy(item.visit, mover);
    const below = recording.below(item.visit).map((child) => recording.seenBy(child, mover)[2]), turned = mover ? below.map((each) => -each) : below;
    const isMax = mover || recording.seatOf(item.visit) === 0, best = letters([...turned, 0]);
    const edges = isMax ? [Math.max(best, letters([alpha])), letters([beta])] : [letters([alpha]), Math.max(best, letters([beta]))];
    return { value: Math.max(value, best + 1), window: recording.hasWindows ? edges[0] + edges[1] + 4 : 0, label };
  }

  #label(item) {
    if (item.kind === "gap") return "";
    return item.tree ? this.words.ofNumber(item.tree.number) : item.move;
  }

  #leafValue({ tree }) { return !tree || tree.children.length ? "" : tree.value === null ? "?" : number(tree.value); }

  #look(item) {
    if (item.kind === "gap") return { classes: "", value: `⋯ ${item.skipped}`, window: "", label: "", title: `${item.skipped} of ${item.of} are not drawn`, isLeaf: true };
    return item.kind === "cut" ? this.#lookOfCut(item) : this.#lookOfVisit(item);
  }

  #lookOfCut(item) {
    let above = item.parent;
    while (above.kind !== "visit") above = above.parent;
    const isStruck = this.recording.isDone(above.visit, this.step) && !this.hides(above.visit, "cut"), depth = item.y - above.y, label = this.#label(item);
    const isMin = (this.recording.seatOf(above.visit) + Math.round(depth / (item.y - item.parent.y))) % 2 === 1;
    item.isUnknown = item.parent.isUnknown;
    const title = `${label} ${isStruck ? "is not looked at" : "has not been looked at"}`;
    return { classes: `${isStruck ? "struck" : "ahead"}${item.isUnknown ? " unknown" : ""}`, value: this.#leafValue(item), window: "", label, title, isLeaf: !item.tree?.children.length, isMin };
  }

  #lookOfVisit(item) {
    const { recording, words, step } = this, { visit } = item, isLeaf = recording.isLeaf(visit);
    const isAhead = recording.isAhead(visit, step), isDone = recording.isDone(visit, step), hidden = this.hides(visit, "window");
    const best = isAhead || isDone || hidden ? "" : words.best(visit, step);
    const value = isDone ? words.value(visit) : isAhead || isLeaf ? this.#leafValue(item) : best && `${best}…`;
    const window = isLeaf || isAhead ? "" : hidden ? "[ ? ]" : words.window(visit, step), label = this.#label(item);
    item.isUnknown = isAhead && Boolean(recording.again[visit] || item.parent?.isUnknown); // that it is searched again nobody knows yet
    const classes = [isAhead ? "ahead" : isDone ? "done" : "open", ["again", recording.again[visit]], ["current", visit === this.current], ["way", this.way.has(visit)],
      ["line", this.line.has(visit)], ["only", this.onlyHere(visit)], ["unknown", item.isUnknown]].map((each) => (Array.isArray(each) ? (each[1] ? each[0] : "") : each)).filter(Boolean).join(" ");
    const title = [label || words.name(visit), isLeaf ? "" : words.side(visit), recording.hasWindows && !isAhead ? words.window(visit, step) : "", isDone ? words.value(visit) : ""].filter(Boolean).join(" ");
    return { classes, value, window, label: [this.onlyHere(visit) && "◆", label, recording.again[visit] && "again"].filter(Boolean).join(" "), title, isLeaf, isMin: recording.seatOf(visit) === 1 };
  }

  #press(event) {
    const fold = event.target.closest("[data-fold]"), box = event.target.closest("[data-key]");
    if (this.pan.wasMoved || !box) return;
    const item = this.drawing.items.find(({ key }) => key === box.dataset.key);
    if (fold) return this.toggle(item);
    if (this.page.isEditing && item.tree) return this.page.edited(this, item);
    if (item.kind === "visit") this.page.chosen(this, item.visit);
  }

  // Folds what is below an item, or opens it.
  toggle(item = this.drawing.items.find(({ key }) => key === String(this.current))) {
    if (!item?.inside) return;
    const [to, from] = item.below.length ? [this.folded, this.opened] : [this.opened, this.folded];
    from.delete(item.key);
    to.add(item.key);
    this.draw();
    this.page.changed();
  }

  do(name) {
    if (name === "fit") this.pan.fit();
    else this.pan.zoom(name === "larger" ? 1 : -1);
    this.page.changed();
  }

  // --- the listing

  async #showLine() {
    const step = this.step, fine = this.fine;
    clearTimeout(this.timer);
    if (!this.calls.has(step)) {
      await new Promise((kept) => { this.timer = setTimeout(kept, CALLS_MS); });
      if (step !== this.step || fine !== this.fine) return;
    }
    await this.calls.load(step).catch(() => {});
    if (step !== this.step || fine !== this.fine) return;
    const places = this.calls.places(step), place = places?.[Math.min(this.fine, places.length - 1)] ?? null;
    const stack = place ? this.calls.stack(step, place) : [];
    this.listing.show(place, stack.slice(0, -1).map(({ line }) => line), this.page.isAsking);
    this.part("line-at").textContent = place ? `line ${place.line}` : "";
  }

  // One line of the listing on (1) or back (-1): the step and the line after it to go to.
  async byLine(way) {
    await this.calls.load(this.step);
    const places = this.calls.places(this.step) ?? [null];
    if (way > 0) return this.fine + 1 < places.length ? [this.step, this.fine + 1] : [Math.min(this.last, this.step + 1), 0];
    if (this.fine > 0) return [this.step, this.fine - 1];
    const before = Math.max(0, this.step - 1);
    await this.calls.load(before);
    return [before, Math.max(0, (this.calls.places(before)?.length ?? 1) - 1)];
  }
}

// A second search of the same tree beside the first: stepped together or alone, with what only one of them visited, and why.

import { byId, made } from "./dom.js";
import { asked, clean, difference, otherIn } from "./explore_question.js";
import { SameNodes } from "./explore_same.js";
import { Side } from "./explore_side.js";
import { plural } from "./explore_words.js";

const EXPLAINED = ["algorithm", "depth", "order", "sort_top", "heap", "iterate", "grain", "quiescence"].map((name) => `other_${name}`); // by the API
const MOST_LISTED = 40, CHOSEN = ["algorithm", "order", "depth"];

export class Comparison {
  // page: sides, active, change(), go().
  constructor(page) {
    [this.page, this.form, this.isTogether] = [page, byId("other"), true];
    byId("compare").addEventListener("click", () => (page.sides.length > 1 ? this.#end() : this.#begin()));
    this.form.addEventListener("change", ({ target }) => (target.name === "together" ? this.#join(target.checked) : this.#again()));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    for (const name of ["algorithm", "order"]) {
      const options = [...byId("question").elements[name].children].filter((option) => option.dataset.for !== "tree" || page.side?.typed !== null);
      this.form.elements[name].append(...options.map((option) => option.cloneNode(true)));
    }
  }

  #begin() {
    if (this.page.isAsking) this.page.quiz.turn(false); // the other side would tell the answers
    const { question } = this.page.sides[0], isMinimax = this.page.sides[0].name === "000-negamax";
    this.page.change(question, { ...question, algorithm: isMinimax ? "000-negamax-alphabeta" : "000-negamax" });
  }

  #end() { this.page.change(this.page.sides[0].question, null); }

  #again() {
    const { question } = this.page.sides[0], given = Object.fromEntries(CHOSEN.map((name) => [name, this.form.elements[name].value.trim()]));
    this.page.change(question, clean({ ...question, ...given, order: given.order === "none" ? "" : given.order }));
  }

  #join(isTogether) {
    this.isTogether = isTogether;
    this.page.go(this.page.side.step, this.page.side.fine);
  }

  // Makes the second side ready, or takes it away. Returns the sides.
  sides(other) {
    const { page } = this;
    if (other && page.sides.length === 1) {
      page.sides.push(new Side(page, page.listings));
      page.sides[1].mover = page.sides[0].mover;
    }
    if (!other) page.sides.splice(1).forEach(({ root }) => root.remove());
    byId("sides").replaceChildren(...page.sides.map(({ root }) => root));
    byId("compare").ariaPressed = String(Boolean(other));
    this.form.hidden = byId("differences").hidden = !other;
    return page.sides;
  }

  // After both searches: marks what only one has visited, and lists it.
  async show() {
    const [one, other] = this.page.sides;
    if (!other) return one.onlyHere = () => false;
    this.same = [new SameNodes(one, other), new SameNodes(other, one)];
    for (const [at, side] of this.page.sides.entries()) side.onlyHere = (visit) => !this.same[at].find(visit).isWhole;
    for (const name of CHOSEN) this.form.elements[name].value = name === "algorithm" ? other.name : other.question[name] ?? (name === "order" ? "none" : "");
    this.form.elements.together.checked = this.isTogether;
    await this.#list(one, other);
  }

  async #list(one, other) {
    const box = byId("differences"), heading = made("h2", "Visited by one search only");
    box.replaceChildren(heading);
    const differing = difference(one.question, other.question), isExplained = differing.every(([name]) => EXPLAINED.includes(name));
    if (this.same[0].numbers || !isExplained) return void box.append(made("p", "It is marked in the drawings. The reason is given for searches with the same window and evaluation, unless the order has changed the shape of the tree."));
    try {
      const found = await (await asked("difference", one.question, Object.fromEntries(differing))).json();
      if (box.firstChild !== heading) return; // others are compared meanwhile
      const words = found.names.map((name, at) => `${name} alone ${found.only[at].toLocaleString("en")}`);
      const list = made("ul", "", { class: "list" });
      list.append(...found.parts.slice(0, MOST_LISTED).map((part) => this.#part(part, found.names)));
      box.append(made("p", `Both have visited ${plural(found.both, "node")}, ${words.join(", ")}.`), list);
      if (found.parts.length > MOST_LISTED) box.append(made("p", `and ${found.parts.length - MOST_LISTED} more such parts`, { class: "note" }));
    } catch (error) {
      if (box.firstChild === heading) box.append(made("p", error.message));
    }
  }

  // A subtree that only one has visited; pressed, both sides go there.
  #part({ by, way, nodes, visit, why }, names) {
    const item = made("li"), side = this.page.sides[by], go = made("button", `${side.words.name(visit)}`, { title: way.join(" ") });
    go.addEventListener("click", () => this.page.chosen(side, visit));
    item.append(go, ` ${plural(nodes, "node")}, ${names[by]} alone: ${why}.`);
    return item;
  }

  // The other side goes where the stepped one is.
  follow(active) {
    if (this.page.sides.length < 2 || !this.isTogether) return;
    const at = this.page.sides.indexOf(active);
    this.page.sides[1 - at].show(this.same[at].step(active.step));
  }

  // --- the address

  get address() {
    const [one, other] = this.page.sides;
    if (!other) return [];
    const both = difference(one.question, other.question);
    return [...both, ...(this.isTogether ? [] : [["apart", "true"], ["other_step", String(other.step)]])];
  }

  restore(address, question) {
    this.isTogether = address.get("apart") !== "true";
    return otherIn(address, question);
  }
}

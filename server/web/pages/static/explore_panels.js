// What stands beside the tree in words: what is counted, the way to the current node, what is below it.

import { made } from "./dom.js";
import { number } from "./explore_words.js";

const MOST_LISTED = 60;
const COUNTED = [["nodes", "Nodes"], ["leaves", "Leaves"], ["cuts", "Cut-offs"], ["unseen", "Not looked at"], ["researches", "Searched again"]];

// isTold: whether the end may be known.
export function showCounts(element, recording, step, isTold = true) {
  const now = recording.counts(step), all = recording.counts(recording.steps - 1);
  element.replaceChildren(...COUNTED.filter(([name]) => all[name] || name !== "researches").map(([name, title]) => {
    const group = made("div"), value = made("dd");
    value.append(made("b", now[name].toLocaleString("en"), { "data-count": name }), ` of ${isTold ? all[name].toLocaleString("en") : "?"}`);
    group.append(made("dt", title), value);
    return group;
  }));
}

// How few leaves there could be: counted in this tree, or what the formula says of a uniform one like it.
export function leastWords({ minimum }) {
  if (!minimum) return "";
  const leaves = `${minimum.leaves.toLocaleString("en")} ${minimum.leaves === 1 ? "leaf" : "leaves"}`;
  const [moves, formula] = [Number(minimum.moves.toFixed(2)), "b^⌈d/2⌉ + b^⌊d/2⌋ − 1"];
  if (minimum.is_uniform) return `With the best moves first ${leaves} would do: ${formula} with b = ${moves}, d = ${minimum.depth}.`;
  if (minimum.is_exact) return `With the best moves first ${leaves} would do.`;
  return `A uniform tree with b = ${moves} and d = ${minimum.depth} would need ${leaves} with the best moves first: ${formula}.`;
}

// The way from the root to the current visit; `choose` is given a visit.
export function showPath(element, side, choose) {
  const { recording, words, step } = side, { visit } = recording.at(step);
  element.replaceChildren(...recording.path(visit).map((at) => {
    const item = made("li"), button = made("button", "", at === visit ? { "aria-current": "step" } : {});
    button.append(...described(side, at));
    button.addEventListener("click", () => choose(at));
    item.append(button);
    return item;
  }));
}

// The name of a visit, whose move it is, its window and value, as far as they are known.
function described({ recording, words, step, hides }, visit) {
  const parts = [made("b", words.name(visit))];
  if (!recording.isLeaf(visit)) parts.push(made("span", ` ${words.side(visit)}`, { class: "faint" }));
  if (recording.hasWindows && !recording.isAhead(visit, step)) parts.push(made("code", ` ${hides(visit, "window") ? "[?]" : words.window(visit, step)}`));
  const known = recording.isDone(visit, step) ? ` = ${words.value(visit)}`.replace(/= ([≤≥])/, "$1") : "";
  if (known) parts.push(made("b", known));
  else if (!recording.isAhead(visit, step) && words.best(visit, step) && !hides(visit, "window")) parts.push(made("span", ` ${words.best(visit, step)} so far`, { class: "faint" }));
  if (recording.again[visit]) parts.push(made("span", " again", { class: "faint" }));
  return parts;
}

export function showBelow(element, side, choose) {
  const { recording, words, step } = side, { visit } = recording.at(step), below = recording.below(visit), isDone = recording.isDone(visit, step);
  const items = below.slice(0, MOST_LISTED).map((at) => {
    const item = made("li"), button = made("button", "", { class: recording.isAhead(at, step) ? "ahead" : "" });
    button.append(...described(side, at));
    button.addEventListener("click", () => choose(at));
    item.append(button);
    return item;
  });
  const left = recording.leftCount[visit], more = below.length - MOST_LISTED;
  if (more > 0) items.push(made("li", `and ${number(more)} more`, { class: "faint" }));
  if (left && isDone) items.push(made("li", `cut off: ${words.left(visit)}`, { class: "cut" }));
  element.replaceChildren(...items);
  return items.length;
}

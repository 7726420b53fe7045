// The staff bots of a gauntlet that is graded, in the form for a new tournament.

import { byId, made } from "./dom.js";

const PERCENT = { type: "number", min: 0, max: 100, step: "any", required: "" };
const list = byId("staff");
let groups = [];

// The bots to choose from, in groups as [label, names]; choices that were made stay.
export function offerStaff(offered) {
  if (JSON.stringify(offered) === JSON.stringify(groups)) return; // anyone who has a list open keeps it
  groups = offered;
  for (const choice of list.querySelectorAll("select")) fill(choice);
}

function fill(choice) {
  const chosen = choice.value;
  choice.replaceChildren(...groups.filter(([, names]) => names.length).map(([label, names]) => {
    const group = made("optgroup", "", { label });
    group.append(...names.map((name) => made("option", name, { value: name })));
    return group;
  }));
  if (groups.some(([, names]) => names.includes(chosen))) choice.value = chosen;
}

function field(text, input) {
  const label = made("label", `${text} `);
  label.append(input);
  return label;
}

function add(changed) {
  const item = made("li", "", { class: "terms" }), choice = made("select", "", { "data-of": "bot", required: "" }), away = made("button", "Remove", { type: "button" });
  const taken = new Set([...list.querySelectorAll("select")].map(({ value }) => value));
  fill(choice);
  const free = [...choice.options].find(({ value }) => !taken.has(value));
  if (free) choice.value = free.value;
  away.addEventListener("click", () => { item.remove(); byId("add-staff").focus(); changed(); });
  item.append(
    field("Staff bot", choice), field("Points", made("input", "", { ...PERCENT, max: 1000, "data-of": "points", value: 10 })),
    field("Nothing up to, % of the points", made("input", "", { ...PERCENT, "data-of": "nothing_to", value: 0 })),
    field("Everything from, %", made("input", "", { ...PERCENT, "data-of": "all_from", value: 100 })), away,
  );
  list.append(item);
  choice.focus();
  changed();
}

// What the order says of them; none where the form is for another format.
export function staff() {
  if (byId("grading").disabled) return [];
  return [...list.children].map((item) => Object.fromEntries([...item.querySelectorAll("[data-of]")].map((one) => [one.dataset.of, one.type === "number" ? Number(one.value) : one.value])));
}

// changed: called when there are more of them or fewer.
export function beginStaff(changed) {
  byId("add-staff").addEventListener("click", () => add(changed));
}

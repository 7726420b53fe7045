// Searches a table as one types, and shows what everybody is expected to score against the row that is pointed at.

import { made } from "./dom.js";
import { show } from "./live.js";

const TYPING_MS = 250, DWELL_MS = 120;

function searchAsTyped(form) {
  let timer = 0;
  const search = () => show(`${location.pathname}?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value))}`);
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, TYPING_MS);
  });
}

const percent = (share) => Math.round(100 * share);

function showExpected(table) {
  let timer = 0, before = null;

  async function ask(mark) {
    const { bot, version } = mark.dataset;
    const address = `${table.dataset.expected}&${new URLSearchParams({ bot, version })}`;
    const answer = await fetch(address);
    return answer.ok ? answer.json() : { rows: [] };
  }
  async function compare(mark) {
    const found = await ask(mark);
    if (mark !== document.activeElement && !mark.matches(":hover")) return;
    const scores = new Map(found.rows.map((row) => [`${row.bot}\n${row.version}`, row]));
    before ??= [...table.querySelectorAll(".against")].map((cell) => [cell, [...cell.childNodes]]);
    for (const other of table.querySelectorAll(".mark")) {
      const row = scores.get(`${other.dataset.bot}\n${other.dataset.version}`);
      const cell = other.parentElement.querySelector(".against");
      cell.textContent = other === mark ? "the others" : row ? `${percent(row.score)}\u202f% ` : "";
      if (other === mark || !row) continue;
      cell.append(made("span", `${percent(row.low)} to ${percent(row.high)}`, { class: "range" }));
    }
  }
  function leave() {
    clearTimeout(timer);
    for (const [cell, nodes] of before ?? []) cell.replaceChildren(...nodes);
    before = null;
  }
  function enter(event) {
    const mark = event.target.closest?.(".mark");
    if (!mark) return;
    clearTimeout(timer);
    timer = setTimeout(() => compare(mark), event.type === "focusin" ? 0 : DWELL_MS);
  }
  table.addEventListener("pointerover", enter);
  table.addEventListener("focusin", enter);
  table.addEventListener("pointerout", (event) => event.target.closest?.(".mark") && leave());
  table.addEventListener("focusout", leave);
}

for (const form of document.querySelectorAll("form.search")) searchAsTyped(form);
for (const table of document.querySelectorAll("table.standings")) showExpected(table);

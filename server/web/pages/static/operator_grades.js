// Grades: of one graded tournament, while it runs and afterwards, and as files for spreadsheets and gradebooks.

import { byId, made } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { apart, botLink, every, link, row, say, show, td } from "./operator_dom.js";

const AGAIN_MS = 3000;
const FORMATS = ["csv", "moodle", "canvas", "gradescope"];
const form = byId("which"), wanted = new URLSearchParams(location.search).get("tournament");
let known = "";

async function readTournaments() {
  const graded = [];
  for (let address = "tournaments?limit=200"; address;) {
    const { tournaments, next } = await ask(address);
    graded.push(...tournaments.filter((one) => one.graded));
    address = next?.replace("/api/v1/", "");
  }
  byId("no-graded").hidden = graded.length > 0;
  byId("graded").hidden = !graded.length;
  const choice = form.elements.tournament, chosen = choice.value || wanted, listed = JSON.stringify(graded.map(({ id, name }) => [id, name]));
  if (listed === known) return;
  known = listed;
  choice.replaceChildren(...graded.map(({ id, name }) => made("option", `${id}, ${apart(name)}`, { value: id })));
  if (graded.some(({ id }) => String(id) === chosen)) choice.value = chosen;
}

function worth({ bot, points, nothing_to: low, all_from: high }) {
  const bounds = low === high ? `from ${high} % of the points` : `nothing up to ${low} %, all from ${high} % of the points`;
  return `${apart(bot)}: ${points} (${bounds})`;
}

function line(one, staff) {
  const against = staff.flatMap(({ bot }, i) => (one.against[i] ? [`${apart(bot)} ${one.against[i].points}/${one.against[i].games}`] : []));
  const counts = [one.games, one.wins, one.draws, one.losses, one.on_time, one.illegal, one.failed];
  return row(one.bot, [
    td(String(one.rank ?? ""), "number"), td([botLink(one.bot), one.house ? " (of the server)" : ""]), td(made("b", String(one.grade ?? "")), "number"), td(against.join(", ")),
    ...counts.map((count) => td(String(count), "number")), td(made("div", one.note), "details-cell"),
  ]);
}

function showFiles() {
  const tournament = form.elements.tournament.value, assignment = form.elements.assignment.value.trim();
  for (const format of FORMATS) byId(`as-${format}`).href = `/api/v1/tournaments/${tournament}/grades?${new URLSearchParams({ format, assignment })}`;
}

async function refresh() {
  await readTournaments();
  const tournament = form.elements.tournament.value;
  if (!tournament) return;
  const grades = await ask(`tournaments/${tournament}/grades`);
  if (form.elements.tournament.value !== tournament) return;
  byId("grades-state").replaceChildren(link(`/tournaments/${tournament}`, grades.name), ` is ${grades.status}: ${grades.played} of ${grades.total} games. At most ${grades.most_points} points. ${grades.staff.map(worth).join("; ")}.`);
  byId("grades-notes").replaceChildren(...grades.notes.map((note) => made("li", note)));
  form.elements.assignment.placeholder = grades.name;
  show("grades", grades.lines.map((one) => line(one, grades.staff)));
  showFiles();
}

// A link would show a refusal instead of this page.
async function save(event) {
  event.preventDefault();
  const answer = await fetch(event.target.href).catch(() => null);
  if (!answer?.ok) return void say((await answer?.json().catch(() => null))?.detail ?? "The server does not answer; try again.");
  const named = answer.headers.get("Content-Disposition").match(/filename="(.*)"/)[1], address = URL.createObjectURL(await answer.blob());
  made("a", "", { href: address, download: named }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  say(`${named} is saved.`);
}

export async function begin() {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", showFiles);
  form.elements.tournament.addEventListener("change", () => refresh().catch((refused) => say(refused.message)));
  for (const format of FORMATS) byId(`as-${format}`).addEventListener("click", save);
  await every(AGAIN_MS, refresh);
}

// The versions of a bot's program as a list, and how the examination of one went.

import { made } from "./dom.js";
import { localTimes } from "./live.js";

const STATES = { new: ["paused", "new"], good: ["running", "passed"], refused: ["frozen", "refused"] };

export const when = (at) => made("time", "", { datetime: new Date(at * 1000).toISOString() });

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// Until when versions are taken, with the time left in its two largest units; nothing without a deadline.
export function deadlineSentence(deadline) {
  if (deadline === null) return "";
  const at = new Date(deadline * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  let left = Math.floor(deadline - Date.now() / 1000);
  if (left <= 0) return `No new versions since ${at}. Earlier versions keep playing.`;
  const parts = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    left %= seconds;
    if (count && parts.length < 2) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
    else if (parts.length) break;
  }
  return `Versions are accepted until ${at}: ${parts.join(" ")} left.`;
}

// Whether a version has passed, as a mark with its grade.
export function examined({ state, examination }) {
  const [kind, word] = STATES[state], told = made("span");
  told.append(made("span", word, { class: `pill ${kind}` }), state === "good" && Number.isInteger(examination?.grade) ? ` ${examination.grade} %` : "");
  return told;
}

// What happens now, in a sentence.
export function nowSentence(programs) {
  const used = programs.find(({ in_use: inUse }) => inUse), fresh = programs.find(({ state }) => state === "new");
  const parts = [];
  if (fresh) parts.push(`Version ${fresh.number} ${fresh.doing}.`);
  if (used) parts.push(`Version ${used.number} ${used.doing || "is the one that plays"}.`);
  else if (!fresh) parts.push(programs.length ? `No version plays${programs[0].state === "refused" ? "; the reason is below" : ""}.` : "Nothing is handed in yet.");
  return parts.join(" ");
}

// What a version has used: processor time of a turn, or of its examination before it has played, and the most memory.
function usedBy({ usage }) {
  if (!usage) return "";
  const { turns, turns_cpu_s: turnsS, examination_cpu_s: examinationS, peak_mb: peak, memory_mb: most, much_memory: much } = usage;
  const time = turns ? `${(turnsS / turns).toFixed(1)} s a turn` : `${examinationS.toFixed(1)} s for the check`, told = made("span", `${time}, `);
  told.append(made("span", `${Math.round(peak)} of ${most} MB${much ? ": near the limit" : ""}`, much ? { class: "much" } : {}));
  return told;
}

function cell(row, content = "", attributes = {}) {
  const data = made("td", "", attributes);
  data.append(content);
  row.append(data);
}

function pressed(name, program, does) {
  const button = made("button", name, { type: "button", "data-key": `${name} ${program.number}`, "aria-label": `${name} version ${program.number}` });
  button.addEventListener("click", () => does(program));
  return button;
}

function line(program, { ratings, files, shows, uses, isShown }) {
  const row = made("tr", "", isShown(program) ? { class: "at" } : {}), rating = ratings.get(program.digest);
  cell(row, String(program.number), { class: "number" });
  cell(row, made("code", program.digest));
  cell(row, when(program.created_at));
  cell(row, made("bdi", program.file_name, { class: "clip", title: program.file_name }));
  cell(row, program.game);
  cell(row, examined(program));
  cell(row, rating ? `${Math.round(rating.rating)} ± ${Math.round(rating.plus_minus)}` : "", { class: "number" });
  cell(row, rating ? String(rating.games) : "", { class: "number" });
  cell(row, usedBy(program));
  cell(row, program.doing || (program.in_use ? "plays" : ""));
  const actions = made("td", "", { class: "row-actions on-screen" });
  actions.append(pressed("Show", program, shows));
  if (program.state === "good" && !program.in_use) actions.append(pressed("Use", program, uses));
  actions.append(made("a", "Download", { class: "button", href: files(program), download: "", "aria-label": `Download version ${program.number}` }));
  row.append(actions);
  return row;
}

// Fills the list.  given: ratings (digest -> row of the standings), files(program) -> address, shows, uses, isShown.
export function showVersions(into, programs, given) {
  const focused = document.activeElement?.dataset?.key;
  if (!programs.length) return into.replaceChildren(made("p", "None yet.", { class: "empty" }));
  const frame = made("div", "", { class: "wide", tabindex: "0", role: "region", "aria-label": "Versions" }), table = made("table", "", { class: "list" });
  const head = made("tr");
  for (const [name, kind] of [["#", "number"], ["Digest"], ["Handed in"], ["File"], ["Game"], ["Examined"], ["Rating ±", "number"], ["Games", "number"], ["Used"], ["Now"]]) {
    head.append(made("th", name, kind ? { class: kind } : {}));
  }
  head.append(made("th", "Do", { class: "on-screen" }));
  const [thead, tbody] = [made("thead"), made("tbody")];
  thead.append(head);
  tbody.append(...programs.map((program) => line(program, given)));
  table.append(thead, tbody);
  frame.append(table);
  localTimes(frame);
  into.replaceChildren(frame);
  if (focused) into.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

// Fills the list of games that were asked for and wait.  takesBack: is told which.
export function showWishes(into, wishes, takesBack) {
  into.hidden = !wishes.length;
  into.replaceChildren(...wishes.map((wish) => {
    const item = made("li"), name = made("bdi", wish.opponent), button = made("button", "Take back", { type: "button", "aria-label": `Take back the games against ${wish.opponent}` });
    button.addEventListener("click", () => takesBack(wish));
    const said = made("span");
    said.append(`${wish.games} ${wish.games === 1 ? "game waits" : "games wait"}, against `, name);
    item.append(said, button);
    return item;
  }));
}

// Fills the report of a version's examination.
export function showReport(into, program) {
  const told = program.examination, parts = [];
  if (!told) parts.push(made("p", `It ${program.doing || "waits for its check"}.`));
  else {
    if (told.problem) {
      const banner = made("p", "", { class: "banner bad" });
      banner.append(made("span", `It does not play: ${told.problem}`));
      parts.push(banner);
    } else parts.push(made("p", `It passed with ${told.grade} %${told.lost.length ? "; it lost points for:" : ": full marks."}`));
    if (!told.problem && told.lost.length) {
      const list = made("ul");
      list.append(...told.lost.map((sentence) => made("li", `the bot ${sentence}`)));
      parts.push(list);
    }
    if (told.printed.length) parts.push(made("p", "What it printed when it first failed:"), made("pre", told.printed.join("\n"), { tabindex: "0", "aria-label": "What it printed" }));
  }
  into.replaceChildren(...parts);
}

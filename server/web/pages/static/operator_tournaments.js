// Tournaments: all there are with what can be done with each, and the form for a new one.

import { byId, made } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { beginCreating } from "./operator_create.js";
import { beginSeasons } from "./operator_seasons.js";
import { actions, apart, botLink, every, link, onOrdered, orderButton, pill, row, show, td, tried } from "./operator_dom.js";

const AGAIN_MS = 3000;
const LEADERS = 3;
const BOT = { required: "", list: "bot-names" };
const GRADES = [["csv", "Grades (CSV)"], ["moodle", "Moodle"], ["canvas", "Canvas"], ["gradescope", "Gradescope"]];
let limit = 20;

function orders({ id, name, status, format, rounds, graded, time_control: time }) {
  const about = `tournaments/${id}`, called = `tournament ${id}, ${apart(name)}`;
  const end = orderButton("End it", `${about}/cancel`, { sentence: `End ${called}, as it stands? Running games are finished and do not count in it. It cannot be resumed.`, yes: "End it", done: `Tournament ${id} is cancelled.` });
  const enter = orderButton("Enter a bot", `${about}/enter`, { sentence: `Which bot enters ${called}? One that is withdrawn comes back.${status === "ended" ? " The tournament goes on with its games." : ""}`, yes: "Enter it", fields: [["bots", "Name of the bot", BOT]], done: "It is entered." });
  const withdraw = orderButton("Withdraw a bot", `${about}/withdraw`, { sentence: `Which bot leaves ${called}? It forfeits the games that it has not begun.`, yes: "Withdraw it", fields: [["bot", "Name of the bot", BOT]], done: "It is withdrawn." });
  const bye = format === "swiss" ? [orderButton("Give a bye", `${about}/bye`, { sentence: `Which bot does not play in the next round of ${called}? It gets half a point.`, yes: "Give it a bye", fields: [["bot", "Name of the bot", BOT]], done: "It has a bye in the next round." })] : [];
  const hasRounds = format === "swiss" || (status === "created" && ["round_robin", "gauntlet"].includes(format));
  const change = orderButton("Change it", `${about}/change`, {
    sentence: `Change ${called}. Games that have begun stay as they are. For another game or format end it and create a new one.`, yes: "Change it", done: `Tournament ${id} is changed.`,
    fields: [["name", "Name", { value: name, required: "", maxlength: 64 }], ["time_control", "Time", { value: time, required: "" }], ...(hasRounds ? [["rounds", "Rounds", { type: "number", min: 1, max: 1000, value: rounds, required: "" }]] : []), ["concurrency", "Games at once", { type: "number", min: 1, max: 1000, placeholder: "as it is" }]],
  });
  const start = orderButton(status === "paused" ? "Resume" : "Start", `${about}/start`, { done: `Tournament ${id} runs.` });
  const pause = orderButton("Pause", `${about}/pause`, { done: `Tournament ${id} is paused; running games are finished.` });
  const moreRounds = orderButton("More rounds", `${about}/change`, { sentence: `How many rounds has ${called} then? Its bots are paired for those that are added.`, yes: "Play them", fields: [["rounds", "Rounds", { type: "number", min: rounds + 1, max: 1000, placeholder: rounds + 1, required: "" }]], done: `Tournament ${id} goes on.` });
  const goesOn = { swiss: [moreRounds], round_robin: [enter], gauntlet: [enter] }[format] ?? [];
  const possible = { created: [start, enter, withdraw, ...bye, change, end], running: [pause, enter, withdraw, ...bye, change, end], paused: [start, enter, withdraw, ...bye, change, end], ended: goesOn };
  const listed = ["ended", "cancelled"].includes(status) ? "ended" : "running"; // the page of matches shows those of one kind
  const games = status === "created" ? [] : [made("a", "Its games", { href: `/operator/matches?tournament=${id}&status=${listed}`, class: "button" })];
  const again = graded ? [] : [made("button", "Another like it", { type: "button", "data-again": id })];
  return [...(possible[status] ?? []), ...games, ...again];
}

function progress({ played, total, running }) {
  const words = `${played}${total ? ` of ${total}` : ""} games${running ? `, ${running} under way` : ""}`;
  if (!total) return [words];
  return [made("progress", "", { value: played, max: total, "aria-label": words }), ` ${words}`];
}

function files({ id, name, format, graded }) {
  const of = `/api/v1/tournaments/${id}`, file = { class: "button" };
  const found = [made("a", "Points (CSV)", { ...file, href: `${of}/crosstable.csv`, download: `tournament-${id}.csv`, title: `Places and points of ${name}, for a spreadsheet or a gradebook` })];
  if (graded) {
    found.push(made("a", "Grades", { ...file, href: `/operator/grades?tournament=${id}`, title: `What each bot of ${name} has earned so far` }));
    for (const [to, label] of GRADES) found.push(made("a", label, { ...file, href: `${of}/grades?format=${to}`, download: "" }));
  }
  if (format === "swiss") found.push(made("a", "TRF", { ...file, href: `${of}/report.trf`, download: `tournament-${id}.trf` }));
  found.push(made("a", "Games", { ...file, href: `/api/v1/export?tournament=${id}&format=pgn`, download: `tournament-${id}.pgn` }));
  found.push(made("a", "Projector", { ...file, href: `/projector?tournament=${id}` }));
  return found;
}

function line(one) {
  const ahead = one.leaders.slice(0, LEADERS).flatMap(({ bot, points }, i) => [i ? ", " : "", botLink(bot), ` ${points}`]);
  return row(String(one.id), [
    td(String(one.id), "number"), td(link(`/tournaments/${one.id}`, one.name)), td(pill(one.status)), actions(...orders(one)), td(progress(one)), td(ahead),
    td(`${one.title}, ${one.format_title}, ${one.entrants} bots, ${one.time_control}`, "faint"), actions(...files(one)),
  ]);
}

async function refresh() {
  const { tournaments, next } = await ask(`tournaments?limit=${limit}`);
  const isCancelled = ({ status }) => status === "cancelled";
  show("tournaments", [...tournaments.filter((one) => !isCancelled(one)), ...tournaments.filter(isCancelled)].map(line));
  byId("no-tournaments").hidden = tournaments.length > 0;
  byId("older").hidden = !next;
}

export async function begin() {
  byId("older").addEventListener("click", () => { limit = Math.min(200, limit + 60); tried(refresh); });
  onOrdered(refresh);
  await Promise.all([every(AGAIN_MS, refresh), beginCreating(), beginSeasons()]);
}

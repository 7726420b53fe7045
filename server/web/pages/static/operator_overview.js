// How the server is: what needs the operator, and how busy it was in the last ten minutes.

import { byId, made } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { every, link, named, onOrdered, row, show, td, when } from "./operator_dom.js";

const LOAD_MS = 2000, ATTENTION_MS = 6000, KEPT = 300;
const MB = 1_000_000;
const IN_WORDS = {
  lag_ms: (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`,
  save_ms: (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`,
  memory_bytes: (value) => `${Math.round(value / MB)} MB`,
  moves_per_s: (value) => value.toFixed(value && value < 10 ? 1 : 0),
};
let samples = [], trouble = "", hosted = false;

const inWords = (name, value) => (IN_WORDS[name] ?? String)(value);

// A round number that is not below the highest value, so that a scale does not change with each sample.
function top(name, highest) {
  const unit = name === "memory_bytes" ? MB : 1, least = name.endsWith("_ms") ? 10 : 4;
  for (let step = least; ; step *= 10) for (const times of [1, 2, 5]) if (step * times * unit >= highest) return step * times * unit;
}

function draw(card) {
  const name = card.dataset.chart, values = samples.map((sample) => sample[name]);
  const high = top(name, Math.max(0, ...values)), [first, last] = [samples[0].at, samples.at(-1).at];
  const points = samples.map(({ at }, i) => `${(100 * (at - first) / (last - first || 1)).toFixed(2)},${(100 - 100 * values[i] / high).toFixed(2)}`);
  card.querySelector("polyline").setAttribute("points", points.join(" "));
  card.querySelector("b").textContent = inWords(name, values.at(-1));
  card.querySelectorAll(".scale span").forEach((label, i) => { label.textContent = inWords(name, high * (1 - i / 2)); });
  card.querySelector(".along span").textContent = `${Math.max(1, Math.round((last - first) / 60))} min ago`;
  const title = card.querySelector("h2").textContent, most = inWords(name, Math.max(...values));
  card.querySelector("svg").setAttribute("aria-label", `${title}: ${inWords(name, values.at(-1))} now, ${most} at most`);
}

async function load() {
  const told = await ask(`load?after=${samples.at(-1)?.at ?? 0}`);
  samples = [...samples, ...told.samples].slice(-KEPT);
  ({ trouble, hosted } = told);
  if (samples.length) document.querySelectorAll("[data-chart]").forEach(draw);
}

async function workers() {
  const told = await ask("workers");
  show("workers", told.workers.map(({ name, programs, at_once: most, cores, memory_mb: memory, sandbox, version, seen_at: seen }) => row(name, [
    td(named(name)), td(`${programs.length} running, ${most} play at once`), td(String(cores), "number"), td(`${memory} MB`, "number"), td(sandbox), td(version), td(when(seen)),
  ])));
  byId("no-workers").hidden = told.workers.length > 0;
}

function figure(name, value) {
  const group = made("div");
  group.append(made("dt", name), made("dd", value));
  return group;
}

function lasting(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  return days ? `${days} d ${hours} h` : hours ? `${hours} h ${minutes} min` : `${minutes} min`;
}

// parts: texts and elements of a sentence.
function item(className, parts, address, words) {
  const line = made("li", "", className ? { class: className } : {});
  line.append(...[parts].flat());
  if (address) line.append(" ", link(address, words));
  return line;
}

async function attention() {
  const [{ matches }, { tournaments }, server] = await Promise.all([ask("matches?status=frozen&limit=20"), ask("tournaments?limit=50"), ask("server")]);
  const items = [];
  if (trouble) items.push(item("bad", trouble, "/docs/how-to/when-the-server-fails", "What to do"));
  for (const { id, seats } of matches) {
    items.push(item("bad", [`Match ${id} of `, named(seats[0].bot), " and ", named(seats[1].bot), " was stopped by an error of the server."], "/operator/matches?status=frozen", "Decide it"));
  }
  for (const { id, name, status, starts_at: starts, fault } of tournaments) {
    const page = "/operator/tournaments", called = [`Tournament ${id}, `, named(name)];
    if (fault) items.push(item("bad", [...called, `, cannot be read: ${fault}`]));
    else if (status === "paused") items.push(item("", [...called, ", is paused."], page, "Resume it"));
    else if (status === "created" && starts === null) items.push(item("", [...called, ", has not been started."], page, "Start it"));
  }
  const { bots } = hosted ? await ask("programs") : { bots: [] };
  for (const { bot, used, disabled } of bots) {
    if (!disabled && used?.doing.startsWith("set aside")) items.push(item("", ["The program of ", named(bot), ` was ${used.doing}`], "/my-bot", "All programs"));
  }
  if (!items.length) items.push(item("good", "Nothing needs you now."));
  byId("attention").replaceChildren(...items);
  const { counts, uptime_s: uptime, version } = server;
  byId("figures").replaceChildren(
    figure("Runs for", lasting(uptime)), figure("Moves and results saved", counts.moves_saved.toLocaleString()),
    figure("Connections", String(counts.connections)), figure("Stopped by errors", String(counts.matches_frozen)), figure("Version", version),
  );
}

export async function begin() {
  onOrdered(attention);
  await every(LOAD_MS, load);
  await every(ATTENTION_MS, attention);
  if (byId("workers")) await every(ATTENTION_MS, workers);
}

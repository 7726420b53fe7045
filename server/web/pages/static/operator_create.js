// The form for a new tournament.

import { byId, made } from "./dom.js";
import { fillOptions, givenOptions, showOptions } from "./game_options.js";
import { ask } from "./my_bot_api.js";
import { apart, every, sayDone, sent, tried } from "./operator_dom.js";
import { beginStaff, offerStaff, staff } from "./operator_staff.js";

const AGAIN_MS = 10000, MINUTE_S = 60;
const form = byId("create"), field = (name) => form.elements[name];
const chosen = new Set();
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare; // Team 10 after Team 9
let games = {}, bots = [], house = new Set(), key = "";

// The order is known by it, so that one that is sent twice makes one tournament.
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const game = () => field("game").value;
const isHosted = ({ hosted }) => hosted.includes(game());
const plays = (bot) => !bot.plays.length || bot.plays.includes(game()) || isHosted(bot);
const isThere = (bot) => isHosted(bot) || (bot.connected && plays(bot));

async function readBots() {
  const found = [];
  for (let address = "bots?limit=1000"; address;) {
    const { bots: some, next } = await ask(address);
    found.push(...some);
    address = next?.replace("/api/v1/", "");
  }
  bots = found;
  house = new Set((await ask("opponents")).opponents.filter((one) => one.house).map(({ name }) => name));
  showBots();
}

function shownBots() {
  const searched = byId("search").value.trim().toLowerCase();
  return bots.filter((bot) => plays(bot) && bot.name.toLowerCase().includes(searched))
    .sort((one, other) => isThere(other) - isThere(one) || inOrder(one.name, other.name));
}

function showBots() {
  const focused = document.activeElement?.dataset?.bot;
  byId("candidates").replaceChildren(...shownBots().map((bot) => {
    const { name, connected } = bot;
    const box = made("input", "", { type: "checkbox", "data-bot": name }), label = made("label", "", { class: "check" }), text = made("span");
    box.checked = chosen.has(name);
    text.append(made("bdi", name), connected ? " (connected)" : isHosted(bot) ? " (its program runs here)" : "");
    label.append(box, text);
    const item = made("li");
    item.append(label);
    return item;
  }));
  const names = (wanted) => bots.filter((bot) => plays(bot) && wanted(bot)).map(({ name }) => name).sort(inOrder);
  byId("bot-names").replaceChildren(...bots.map(({ name }) => made("option", "", { value: name })));
  offerStaff([["Built in", names(({ name }) => house.has(name))], ["Others", names(({ name }) => !house.has(name))]]);
  if (focused) byId("candidates").querySelector(`[data-bot="${CSS.escape(focused)}"]`)?.focus();
  ready();
}

function ready() {
  const there = bots.filter(isThere).length, everyone = field("who").value === "everyone";
  byId("chosen-count").textContent = `${chosen.size} chosen`;
  const ours = bots.filter((bot) => isThere(bot) && house.has(bot.name)).map(({ name }) => name);
  const others = ours.length ? ` The server's own ${ours.length === 1 ? "player is one of them" : "players are among them"}: ${ours.join(", ")}. “Only these bots” leaves ${ours.length === 1 ? "it" : "them"} out.` : "";
  byId("ready").textContent = everyone ? `${there} ${there === 1 ? "bot plays" : "bots play"} it.${others}` : `${chosen.size} chosen.`;
}

function showGameOptions() { showOptions(byId("options"), games[game()]?.options); }

function showFields() {
  for (const label of form.querySelectorAll("[data-formats]")) label.hidden = !label.dataset.formats.split(" ").includes(field("format").value);
  byId("grading").disabled = byId("grading").hidden;
  if (staff().length) field("challengers").closest("label").hidden = true; // they are the staff bots
  byId("choice").hidden = field("who").value !== "chosen";
  ready();
}

const number = (name) => (field(name).value === "" || field(name).closest("[hidden]") ? undefined : Number(field(name).value));

function order() {
  const everyone = field("who").value === "everyone", startsIn = number("starts_in"), minutes = number("minutes"), late = number("late");
  const grading = staff(), first = grading.map(({ bot }) => bot);
  const asked = {
    name: field("name").value.trim(), game: field("game").value, format: field("format").value, time_control: field("time_control").value.trim(),
    bots: [...first, ...(everyone ? [] : [...chosen].filter((name) => !first.includes(name)))], grading, everyone, options: givenOptions(byId("options")), rounds: number("rounds"), challengers: first.length || number("challengers"), games: number("games"),
    duration_s: minutes && minutes * MINUTE_S, concurrency: number("concurrency"), seeding: field("seeding").value, no_show_s: number("no_show_s"),
    strikes: number("strikes"), rated: field("rated").checked, late_s: everyone && late ? late * MINUTE_S : undefined,
    starts_at: startsIn && Date.now() / 1000 + startsIn * MINUTE_S, start: !field("wait").checked, key,
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

// Fills the form with the settings of a tournament.
async function fillLike(id) {
  const { name, game: of, format, lines, settings } = await ask(`tournaments/${id}`);
  const { time_control, rounds, challengers, games: most, concurrency, seeding, no_show_s, strikes, everyone, duration_s, late_s } = settings;
  const minutes = duration_s / MINUTE_S, late = late_s / MINUTE_S;
  const values = { name, game: of, format, time_control, rounds, challengers, games: most, minutes, concurrency, seeding, late, no_show_s };
  for (const [input, value] of Object.entries(values)) field(input).value = value || "";
  field("strikes").value = strikes; // 0 has a meaning
  field("rated").checked = settings.rated;
  field("who").value = everyone ? "everyone" : "chosen";
  chosen.clear();
  for (const { bot } of everyone ? [] : lines.toSorted((one, other) => one.number - other.number)) chosen.add(bot);
  showGameOptions();
  fillOptions(byId("options"), settings.options);
  showFields();
  showBots();
  form.scrollIntoView();
  field("name").select();
}

export async function beginCreating() {
  key = newKey();
  sent(form, async () => {
    const created = await ask("tournaments", order());
    key = newKey();
    sayDone(`Tournament ${created.id}, ${apart(created.name)}, is ${created.status}: ${created.total ? `${created.total} games` : `${created.entrants} ${created.entrants === 1 ? "bot" : "bots"}`}.`, created);
    document.dispatchEvent(new Event("ordered"));
  });
  document.addEventListener("click", ({ target }) => { if (target.dataset.again) tried(() => fillLike(target.dataset.again)); });
  form.addEventListener("change", showFields);
  field("game").addEventListener("change", () => { showGameOptions(); showBots(); });
  byId("search").addEventListener("input", showBots);
  byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  byId("candidates").addEventListener("change", ({ target }) => {
    if (target.checked) chosen.add(target.dataset.bot); else chosen.delete(target.dataset.bot);
  });
  byId("choose-shown").addEventListener("click", () => { shownBots().forEach(({ name }) => chosen.add(name)); showBots(); });
  byId("choose-none").addEventListener("click", () => { chosen.clear(); showBots(); });
  beginStaff(showFields);
  showFields();
  games = Object.fromEntries((await ask("games")).games.map((game) => [game.name, game]));
  showGameOptions();
  await every(AGAIN_MS, readBots);
}

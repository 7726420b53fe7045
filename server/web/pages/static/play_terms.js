// The form: game and its options, opponent with its level, seat, time, name; and anyone who came by a link.

import { byId, made } from "./dom.js";
import { givenOptions, showOptions } from "./game_options.js";
import { SetupBoard } from "./setup_board.js";

const REFRESH_MS = 5000;

export const terms = byId("terms");
export const field = (name) => terms.elements[name];
const asked = new URLSearchParams(location.search);

export let games = {}; // name -> title, seats, options, draws_possible, letters

export const title = (game) => games[game]?.title ?? game;

// The game with what of its options is not as usual, where it begins if not at the start, and the time.
export function termsWords({ game, options = {}, position, time }) {
  const unusual = (games[game]?.options ?? []).filter((option) => option.name in options && options[option.name] !== option.default);
  return [title(game), ...unusual.map(({ name }) => `${name} ${options[name]}`), ...position ? [`from the position ${position}`] : [], clockWords(time)].join(", ");
}

// What a challenge says for a match to begin as this one did. position: with which it began.
export function startOf({ game, options = {}, position }) {
  const asked = games[game]?.options.some(({ name }) => name in options); // a position has none
  return asked || position === games[game]?.start ? { options } : { position };
}

export function clockWords(time) { return [...field("time").options].find(({ value }) => value === time)?.text ?? time; }

// The terms as they are filled in; a seat at random is drawn here.
export function chosenTerms() {
  const seat = field("seat").value === "lot" ? crypto.getRandomValues(new Uint8Array(1))[0] % 2 : Number(field("seat").value);
  const start = position ? { position } : { options: givenOptions(byId("options")) };
  return { game: field("game").value, opponent: field("opponent").value, time: field("time").value, seat, ...start };
}

function showGameOptions() { showOptions(byId("options"), games[field("game").value]?.options); }

// The position from which the match is to begin, "" for the start of the game; it says what the options would.
let position = "", setup = null;

function beginAt(chosen) {
  position = chosen;
  byId("options").hidden = Boolean(position);
  byId("begins").textContent = position || "as usual";
}

// A board for the position, once somebody looks.
function showSetup() {
  const game = field("game").value;
  if (!byId("setup-box").open) return;
  if (!setup) setup = new SetupBoard(byId("setup"), { game, position, changed: () => beginAt(setup.reached) });
  else setup.open({ game, position });
}

function choose(select, wanted) {
  if ([...select.options].some(({ value, disabled }) => value === wanted && !disabled)) select.value = wanted;
}

function showSeats() {
  const names = games[field("game").value]?.seats ?? ["", ""], kept = field("seat").value;
  const texts = [["lot", "at random"], ["0", `${names[0]}, first`], ["1", `${names[1]}, second`]];
  field("seat").replaceChildren(...texts.map(([value, text]) => new Option(text, value)));
  choose(field("seat"), kept || asked.get("seat"));
}

let listed = ""; // the opponents as they are in the form: anyone who has the list open keeps it

async function showOpponents() {
  const answer = await fetch("/api/v1/opponents").catch(() => null);
  if (!answer?.ok) return;
  const { opponents, preparing } = await answer.json(), game = field("game").value, kept = field("opponent").value || asked.get("opponent"), own = field("name").value.trim();
  const there = opponents.filter(({ name, plays }) => name !== own && (!plays.length || plays.includes(game)));
  const now = JSON.stringify([game, there, preparing]);
  if (now === listed) return;
  listed = now;
  const groups = [["Built in", there.filter(({ house }) => house)], ["Others online", there.filter(({ house }) => !house)]];
  field("opponent").replaceChildren(...groups.filter(([, members]) => members.length).map(([label, members]) => {
    const group = made("optgroup", "", { label });
    group.append(...members.map(({ name, levels, free }) => {
      const option = new Option([name, levels[game] ?? "", free ? "" : "is playing"].filter(Boolean).join(", "), name);
      option.disabled = !free;
      return option;
    }));
    return group;
  }));
  choose(field("opponent"), kept);
  if (!there.length) field("opponent").append(new Option(preparing.length ? "being prepared" : "nobody is online", ""));
  field("start").disabled = !field("opponent").value && !terms.classList.contains("invited");
  byId("preparing").hidden = !preparing.length;
  byId("preparing").textContent = preparing.length ? `The server is still preparing its players: ${preparing.join(", ")}. That can take a minute. They appear here by themselves.` : "";
  byId("no-house").hidden = preparing.length > 0 || there.some(({ house }) => house);
}

// What the link with which the page was opened asks for: the open challenge, null when its link is stale.
export async function invitation() {
  const code = asked.get("challenge");
  if (!code) return undefined;
  const answer = await fetch(`/api/v1/challenges/${encodeURIComponent(code)}`);
  return answer.ok ? { ...await answer.json(), code } : null;
}

// Ask only for a name: the rest is settled.
export function onlyName(yes) {
  terms.classList.toggle("invited", yes);
  field("start").disabled = false;
}

export async function fillIn() {
  games = Object.fromEntries((await (await fetch("/api/v1/games")).json()).games.map((game) => [game.name, game]));
  for (const name of ["game", "time"]) choose(field(name), asked.get(name));
  field("name").value = localStorage.getItem("name") ?? "";
  showGameOptions();
  beginAt(asked.get("position") ?? "");
  showSeats();
  await showOpponents();
}

field("game").addEventListener("change", () => { showGameOptions(); showSeats(); showOpponents(); beginAt(""); showSetup(); });
byId("setup-box").addEventListener("toggle", showSetup);
setInterval(() => { if (!terms.hidden && !document.hidden) showOpponents(); }, REFRESH_MS);

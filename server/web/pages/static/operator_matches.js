// Matches: those that run, were stopped or have ended, with what can be done with each.

import { byId } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { actions, apart, botLink, every, link, onOrdered, orderButton, pill, row, show, td, tried } from "./operator_dom.js";

const AGAIN_MS = 3000;
const form = byId("filter");
let limit = 50, drawsPossible = {};

const wanted = () => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));

function orders({ id, game, seats, status, tournament }) {
  const [first, second] = seats.map(({ bot }) => apart(bot)), about = `matches/${id}`, called = `match ${id} of ${first} and ${second}`;
  const told = { fields: [["reason", "Reason, shown to everybody"]] };
  const results = [[`${first} wins`, { winner: 0 }], [`${second} wins`, { winner: 1 }], ...(drawsPossible[game] === false ? [] : [["a draw", { winner: null }]])];
  const again = orderButton("Play again", `${about}/replay`, { ...told, sentence: `Play ${called} again from its opening?${status === "ended" ? "" : " It ends now without a result."}`, yes: "Play it again", done: `Match ${id} is played again.` });
  if (status === "ended") return tournament ? [] : [again];
  return [
    orderButton("End it", `${about}/abort`, { ...told, sentence: `End ${called} without a result?${tournament ? " Its tournament plays it again." : ""}`, yes: "End it", done: `Match ${id} has ended without a result.` }),
    orderButton("Decide it", `${about}/adjudicate`, { ...told, sentence: `How does ${called} end?`, yes: "Decide it", choices: results, done: `Match ${id} is decided.` }),
    again,
  ];
}

function state({ status, plies, result, frozen_reason: reason, fault }) {
  if (result) return [`${result.result} `, result.ending.replaceAll("_", " ")];
  return [pill(status), ` ${fault || reason || `${plies} moves`}`];
}

async function refresh() {
  const query = wanted();
  const asked = JSON.stringify(query), { matches, next } = await ask(`matches?${new URLSearchParams({ ...query, limit })}`);
  if (asked !== JSON.stringify(wanted())) return; // others were asked for meanwhile
  show("matches", matches.map((one) => row(String(one.id), [
    td(link(`/matches/${one.id}`, String(one.id)), "number"), actions(...orders(one)), ...one.seats.map(({ bot }) => td(botLink(bot))), td(state(one)), td(one.title),
    td(one.tournament ? link(`/tournaments/${one.tournament}`, String(one.tournament)) : "", "number"),
  ])));
  byId("no-matches").hidden = matches.length > 0;
  byId("older").hidden = !next;
}

export async function begin() {
  for (const [name, value] of new URLSearchParams(location.search)) if (form.elements[name]) form.elements[name].value = value;
  form.addEventListener("input", () => {
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams(wanted())}`);
    tried(refresh);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("older").addEventListener("click", () => { limit = Math.min(200, limit + 50); tried(refresh); });
  onOrdered(refresh);
  drawsPossible = Object.fromEntries((await ask("games")).games.map((game) => [game.name, game.draws_possible]));
  await every(AGAIN_MS, refresh);
}

// Seasons: those there are, the end of one, the beginning of the next.

import { byId } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { actions, apart, every, link, onOrdered, orderButton, pill, row, say, sent, show, td, when } from "./operator_dom.js";

const AGAIN_MS = 15000, NUMBERS = ["size", "moving"];

function orders({ season, name, ended_at: ended }) {
  if (ended !== null) return [];
  const sentence = `End ${apart(name)} now? The best of each division go up, the last go down.`;
  return [orderButton("End the season", `seasons/${season}/end`, { sentence, yes: "End it", done: "The season has ended." })];
}

async function refresh() {
  const { seasons } = await ask("seasons");
  show("seasons", seasons.map((one) => row(String(one.season), [
    td(link(`/seasons/${one.game}`, one.name)), td(one.game), td(when(one.began_at)), td(pill(one.ended_at === null ? "running" : "ended")), actions(...orders(one)),
  ])));
  byId("no-seasons").hidden = seasons.length > 0;
}

export async function beginSeasons() {
  sent(byId("begin-season"), async (form) => {
    const given = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const { name } = await ask("seasons", Object.fromEntries(given.map(([key, value]) => [key, NUMBERS.includes(key) ? Number(value) : value.trim()])));
    say(`${apart(name)} has begun.`);
    await refresh();
  });
  onOrdered(refresh);
  await every(AGAIN_MS, refresh);
}

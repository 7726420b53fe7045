// How a bot's versions play: their ratings, charts of its own page, and the matches that its program has failed in.

import { made } from "./dom.js";
import { localTimes } from "./live.js";
import { ask, botPath, page } from "./my_bot_api.js";
import { offerReviews } from "./my_bot_reviews.js";

const filled = new WeakMap(); // what an element with data-from was filled with, before anything was added there

// The row of the standings of each version that has one, by its digest.
export async function ratingsOf(bot, programs) {
  const games = [...new Set(programs.map(({ game }) => game))];
  const told = await Promise.all(games.map((game) => ask(`${botPath(bot)}/games/${game}`)));
  return new Map(told.flatMap(({ versions }) => versions).map((row) => [row.version, row]));
}

// Fills each element below `into` that has data-from with that part of the bot's own page, unless that is late when it comes.
export async function showRecord(into, bot, game, isLate) {
  const own = await page(`/bots/${encodeURIComponent(bot)}?game=${game}`);
  if (!own || isLate()) return;
  localTimes(own);
  for (const element of into.querySelectorAll("[data-from]")) {
    const part = own.querySelector(`[data-part="${element.dataset.from}"]`);
    element.hidden = !part;
    if (!part || filled.get(element) === part.innerHTML) continue;
    filled.set(element, part.innerHTML);
    element.replaceChildren(...document.importNode(part, true).childNodes);
    offerReviews(element);
  }
}

// The last match of those in which a version has failed with the same words, and how many others there are.
function failure({ match, version, text, others }, programs) {
  const item = made("li"), number = programs.find(({ digest }) => digest === version)?.number, board = made("details");
  const more = others ? ` and ${others} ${others === 1 ? "other" : "others"}` : "";
  item.append(made("a", `Match ${match}`, { href: `/matches/${match}` }), more, number ? `, version ${number}: ` : ": ", made("code", text));
  board.append(made("summary", "The position"));
  board.addEventListener("toggle", async () => {
    if (!board.open || board.querySelector("img")) return;
    const picture = ({ plies, title }) => made("img", "", { src: `/api/v1/matches/${match}/picture/${plies}.svg`, alt: `${title}, match ${match} after ${plies} moves` });
    const shown = await ask(`matches/${match}`).then(picture, (refused) => made("p", refused.message));
    board.replaceChildren(board.firstElementChild, shown);
  });
  item.append(board);
  return item;
}

export function showFailures(into, failures, programs) {
  const key = JSON.stringify([failures, programs.map(({ number }) => number)]);
  if (into.dataset.key === key) return;
  into.dataset.key = key; // what is open stays open
  const alike = new Map();
  for (const each of failures) {
    const same = alike.get(`${each.version} ${each.text}`);
    if (same) same.others++;
    else alike.set(`${each.version} ${each.text}`, { ...each, others: 0 });
  }
  into.replaceChildren(...[...alike.values()].map((each) => failure(each, programs)));
}

// What cost most in a lost match: an owner has the match reviewed where it is not yet.

import { made } from "./dom.js";
import { reviewed } from "./reviews.js";

// Puts a button to each match below `into` that is not reviewed.
export function offerReviews(into) {
  for (const place of into.querySelectorAll("[data-review]")) {
    const button = made("button", "Review it", { type: "button", "aria-label": `Review match ${place.dataset.review}` });
    button.addEventListener("click", () => review(place, button));
    place.replaceChildren(button);
  }
}

async function review(place, button) {
  const { review: match, seat } = place.dataset, status = made("span", "", { role: "status" });
  button.disabled = true;
  place.replaceChildren(button, " ", status);
  try {
    const costliest = await reviewed(match, (sentence) => { status.textContent = sentence; });
    const move = costliest.find((each) => each.seat === Number(seat));
    status.replaceChildren(...(move ? line(match, move) : ["nothing that the engine can see"]));
    button.remove();
  } catch (refused) {
    status.textContent = refused.message;
    button.disabled = false;
  }
}

// As the page of the bot has it (records.html).
function line(match, { ply, move, cost, best }) {
  return [made("a", `move ${ply + 1}, ${move}`, { href: `/matches/${match}?ply=${ply + 1}` }), `: cost ${cost.toFixed(2)}, better ${best}`];
}

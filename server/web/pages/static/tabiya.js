// What every page does: times become local ones, and what changes on the server changes here.

import { follow, localTimes } from "./live.js";

const number = document.body.dataset.live, note = document.getElementById("stale");

localTimes(document);
const menu = document.querySelector(".top nav"), here = menu?.querySelector("[aria-current]");
if (here) menu.scrollLeft = here.offsetLeft + here.offsetWidth - menu.clientWidth / 2; // a narrow menu is cut: what is shown is in sight
if (number) {
  // a page's own script hears of each change by the event "changed" of the document
  const changed = () => document.dispatchEvent(new Event("changed"));
  follow({ number, changed, stale: (is) => { note.hidden = !is; } });
}

// of no use to others, so the menu has it only where an operator has signed in (operator.js)
if (localStorage.getItem("operator")) document.getElementById("operator-link")?.removeAttribute("hidden");

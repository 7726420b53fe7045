// Lets the owners of the two bots, and operators, have a match reviewed. The page is the same for all, so who is there is asked here.

import { ask, page } from "./my_bot_api.js";
import { reviewed } from "./reviews.js";

const AGAIN_MS = 300; // a page is kept for half a second
const order = document.getElementById("order-review");

// Whether somebody has signed in on this browser, by what my_bot_sign_in.js and the operators' pages have noted.
const known = () => localStorage.getItem("signed-in") || localStorage.getItem("operator");

async function mayOrder() {
  const { name, role } = await ask("session");
  // anyone who sits at the server's machine is an operator without having signed in
  return name ? role === "operator" || [order.dataset.first, order.dataset.second].includes(name) : Boolean(localStorage.getItem("operator"));
}

async function make() {
  const [button, status] = order.children;
  button.disabled = true;
  try {
    await reviewed(order.dataset.match, (sentence) => { status.textContent = sentence; });
    while ((await page(location.href))?.getElementById("order-review")) await new Promise((soon) => setTimeout(soon, AGAIN_MS));
    location.reload(); // charts and marks of the moves show it, too
  } catch (refused) {
    status.textContent = refused.message;
    button.disabled = false;
  }
}

if (order && known() && await mayOrder().catch(() => false)) {
  order.hidden = false;
  order.querySelector("button").addEventListener("click", make);
}

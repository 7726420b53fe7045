// The operators' pages: who is there, and what the page is about. Everything that is shown is asked of the API, which tells operators alone.

import { byId } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { orderButtons, say, tried } from "./operator_dom.js";

const MENU = "operator"; // in the browser's own store: that the menu has these pages
const NOTHING = "load?after=1000000000000"; // asks whether one may ask
const page = document.body.dataset.page;
let begun = false;

async function enter() {
  const who = await ask("session");
  if (who.role === "bot") return void closed(`You are signed in as ${who.name}, which is not an operator's account.`, true);
  try {
    await ask(NOTHING);
  } catch (refused) {
    if (![401, 403].includes(refused.status)) throw refused;
    return void closed("", false);
  }
  localStorage.setItem(MENU, "yes");
  byId("who-name").textContent = who.name || "anybody at this machine";
  byId("sign-out").hidden = !who.name;
  byId("sign-in").hidden = true;
  if (begun) return;
  begun = true;
  const { begin } = await import(`./operator_${page}.js`);
  byId("inside").hidden = false; // not before its buttons do something, which `begin` sees to before it waits for anything
  await begin();
}

function closed(sentence, signedIn) {
  localStorage.removeItem(MENU);
  if (begun) return void location.reload(); // what was shown, and what is still to be answered, is for operators alone
  byId("sign-in").hidden = false;
  byId("not-an-operator").textContent = sentence;
  byId("not-an-operator").hidden = !signedIn;
}

byId("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  tried(async () => {
    await ask("session", { token: new FormData(event.target).get("token").trim() });
    event.target.reset();
    say("");
    await enter();
  });
});
byId("sign-out").addEventListener("click", () => tried(async () => {
  await ask("session/end", {});
  await enter();
}));
document.addEventListener("refused", () => enter().catch((refused) => say(refused.message)));
orderButtons();
tried(enter);

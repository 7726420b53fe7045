// The invite code, and the accounts of bots: their tokens, who is shut out, who is an operator.

import { byId, copyText, made } from "./dom.js";
import { ask, botPath } from "./my_bot_api.js";
import { actions, apart, botLink, every, onOrdered, orderButton, pill, row, say, sent, show, showSecrets, td, tried } from "./operator_dom.js";

const AGAIN_MS = 10000;
let accounts = [];

async function invite() {
  const { code, fixed, open_registration: open } = await ask("invite");
  byId("code").textContent = code || "unknown";
  byId("code-note").textContent = [
    open ? "Registration is open: a new name needs neither code nor token." : "It is needed to register a bot.",
    code ? "" : "The database has only its hash. Make another one, or look where the server was started.",
    fixed ? "It is set by TABIYA_INVITE_SECRET at the server's start; change it there." : "",
  ].filter(Boolean).join(" ");
  byId("copy-code").hidden = !code;
  byId("renew").hidden = fixed;
  Object.assign(byId("renew").dataset, orderButton("", "invite", {
    sentence: "Make another invite code? The present one becomes invalid. Existing accounts stay as they are.",
    yes: "Make another", done: "The new invite code is valid now.",
  }).dataset);
}

async function readAccounts() {
  const found = [];
  for (let address = "accounts?limit=1000"; address;) {
    const { accounts: some, next } = await ask(address);
    found.push(...some);
    address = next?.replace("/api/v1/", "");
  }
  accounts = found;
  showAccounts();
}

function orders({ name, role, shut_out: out }) {
  const about = botPath(name), who = apart(name);
  return [
    orderButton("New token", `${about}/token`, { sentence: `Make a new token for ${who}? The old one becomes invalid, and a bot connected with it is disconnected.`, yes: "Make it", done: `${who} has a new token.` }),
    ...(out ? [] : [orderButton("Shut out", `${about}/revoke`, { sentence: `Shut ${who} out until you make it a new token? It is disconnected at once.`, yes: "Shut it out", done: `${who} is shut out.` })]),
    role === "operator"
      ? orderButton("No operator", `${about}/role`, { body: { role: "bot" }, sentence: `Take the operator's role from ${who}?`, yes: "Take it", done: `${who} is no longer an operator.` })
      : orderButton("Make operator", `${about}/role`, { body: { role: "operator" }, sentence: `Make ${who} an operator? Its token then allows everything that yours does.`, yes: "Make an operator", done: `${who} is an operator.` }),
  ];
}

function showAccounts() {
  const wanted = byId("find").elements.search.value.trim().toLowerCase();
  const listed = accounts.filter(({ name }) => name.toLowerCase().includes(wanted));
  show("accounts", listed.map((one) => row(one.name, [
    td(botLink(one.name)),
    td([one.connected ? pill("running") : "", one.role === "operator" ? pill("operator") : "", one.shut_out ? pill("frozen") : ""].filter(Boolean).map(inWords)),
    actions(...orders(one)),
  ])));
  byId("no-accounts").hidden = listed.length > 0;
}

const WORDS = { running: "connected", operator: "operator", frozen: "shut out" };

function inWords(mark) {
  mark.textContent = WORDS[mark.textContent];
  const spaced = made("span", "", { class: "onwards" });
  spaced.append(mark, " ");
  return spaced;
}

export async function begin() {
  byId("copy-code").addEventListener("click", async () => {
    await copyText(byId("code").textContent);
    say("The invite code is copied.");
  });
  sent(byId("make"), async (form) => {
    const field = form.elements.names, created = [], refused = [];
    try {
      for (const name of new Set(field.value.split("\n").map((line) => line.trim()).filter(Boolean))) {
        try {
          created.push(await ask("accounts", { name }));
        } catch (error) {
          if (error.status !== 400 && error.status !== 409) throw error;
          refused.push([name, error.message]);
        }
      }
    } finally {
      if (created.length) showSecrets(created);
    }
    field.value = refused.map(([name]) => name).join("\n");
    say(refused.map(([name, why]) => `${apart(name)}: ${why}.`).join(" "));
    await readAccounts();
  });
  byId("find").addEventListener("input", showAccounts);
  byId("find").addEventListener("submit", (event) => event.preventDefault());
  onOrdered(async () => { await invite(); await readAccounts(); });
  await tried(invite);
  await every(AGAIN_MS, readAccounts);
}

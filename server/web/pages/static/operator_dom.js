// What the parts of the operators' pages share: a line that says what happened, tables that keep their places, buttons that give orders.

import { byId, copyText, download, made } from "./dom.js";
import { localTimes, patch } from "./live.js";
import { ask } from "./my_bot_api.js";

export function say(text) { byId("status").textContent = text; }

// What is done, and what the server warns of.
export function sayDone(text, { warnings = [] }) { say([text, ...warnings].join(" ")); }

// Does what may be refused, and says why if it is. Who is no operator any more is shown the way in.
export async function tried(does) {
  try {
    return await does();
  } catch (refused) {
    say(refused.message);
    if ([401, 403].includes(refused.status)) document.dispatchEvent(new Event("refused"));
    return undefined;
  }
}

// Does it when a form is sent, once at a time: who presses twice means one.
export function sent(form, does) {
  let isUnderWay = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isUnderWay) return;
    isUnderWay = true;
    await tried(() => does(form));
    isUnderWay = false;
  });
}

let silence = ""; // what is said while the server does not tell what is shown

// Does it now and again and again, while somebody looks.
export function every(ms, does) {
  const again = async () => {
    if (!document.hidden && !byId("inside").hidden) {
      const isDone = await tried(async () => { await does(); return true; }), said = byId("status").textContent;
      if (!isDone) silence = said;
      else if (silence && said === silence) say(silence = "");
    }
    setTimeout(again, ms);
  };
  return again();
}

// --- tables

export function td(content = "", className = "") {
  const cell = made("td", "", className ? { class: className } : {});
  cell.append(...[content].flat());
  return cell;
}

export function row(key, cells) {
  const line = made("tr", "", { "data-key": key });
  line.append(...cells);
  return line;
}

// Shows these rows; what is equal stays, so that anyone who is at a button stays there.
export function show(id, rows) {
  const body = byId(id), fresh = body.cloneNode(false);
  fresh.append(...rows);
  localTimes(fresh);
  patch(body, fresh);
}

// A name of others in a sentence: its direction ends with it.
export const apart = (name) => `\u2068${name}\u2069`;

// The same where elements can stand.
export const named = (name) => made("bdi", String(name));

export const when = (at) => made("time", "", { datetime: new Date(1000 * at).toISOString() });
export const link = (address, text) => made("a", text, { href: address });
export const botLink = (name) => made("a", name, { href: `/bots/${encodeURIComponent(name)}`, class: "bot", title: name });
export const pill = (word) => made("span", word, { class: `pill ${word}` });

// A cell of buttons and links.
export function actions(...buttons) {
  const group = made("div", "", { class: "row-actions" });
  group.append(...buttons);
  return td(group);
}

// --- orders

// A button that gives an order. sentence: asked before; yes: what the button to go on says; fields: what is typed there, each
// [name, label, attributes], of which only what is not as it was belongs to the order; choices: of what, each [label, fields of the order]; done: said afterwards.
export function orderButton(text, path, { body = {}, sentence = "", yes = text, fields = [], choices = [], done = "" } = {}) {
  const given = { path, body: JSON.stringify(body), sentence, yes, fields: JSON.stringify(fields), choices: JSON.stringify(choices), done };
  const button = made("button", text, { type: "button" });
  for (const [name, value] of Object.entries(given)) button.dataset[name] = value;
  return button;
}

// What was typed into a field of an order. An order takes several bots where its field is `bots`.
function valueOf({ name, type, value }) {
  const text = value.trim();
  return [name, name === "bots" ? [text] : type === "number" ? Number(text) : text];
}

// Asks a question; null if it is to be left, else what was typed and chosen.
function question({ sentence, yes, fields, choices }) {
  const dialog = byId("question"), listed = byId("question-choices");
  byId("question-text").textContent = sentence;
  byId("question-yes").textContent = yes;
  byId("question-fields").replaceChildren(...fields.map(([name, label, attributes]) => {
    const line = made("label", `${label} `, { class: "grow" });
    line.append(made("input", "", { name, maxlength: 500, autocomplete: "off", ...attributes }));
    return line;
  }));
  listed.hidden = !choices.length;
  listed.replaceChildren(listed.firstElementChild, ...choices.map(([text], i) => {
    const line = made("label", "", { class: "check" });
    line.append(Object.assign(made("input", "", { type: "radio", name: "choice", value: i }), { required: true }), ` ${text}`);
    return line;
  }));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "yes") return void resolve(null);
    const chosen = dialog.querySelector("input[name=choice]:checked");
    const typed = [...byId("question-fields").querySelectorAll("input")].filter((input) => input.value.trim() !== input.defaultValue);
    resolve({ ...(chosen ? choices[Number(chosen.value)][1] : {}), ...Object.fromEntries(typed.map(valueOf)) });
  }, { once: true }));
}

// Shows tokens that are known this once. created: [{ name, token }, ...].
export function showSecrets(created) {
  const isOne = created.length === 1, { name, token } = created[0];
  byId("secret-text").textContent = isOne
    ? `The token of ${apart(name)}. It is shown only once. Anybody who has it can play as ${apart(name)}.`
    : `The tokens of ${created.length} bots. They are shown only once. Anybody who has one can play as that bot.`;
  byId("secret-value").value = isOne ? token : ["bot,token", ...created.map((one) => `${one.name.replace(/^(?=[-+@])/, "'")},${one.token}`)].join("\n");
  byId("secret-value").rows = isOne ? 1 : Math.min(16, created.length + 1);
  byId("secret-save").hidden = isOne;
  byId("secret").showModal();
}

async function give(button) {
  const { path, body, sentence, yes, fields, choices, done } = button.dataset;
  const more = sentence ? await question({ sentence, yes, fields: JSON.parse(fields), choices: JSON.parse(choices) }) : {};
  if (more === null) return;
  const told = await ask(path, { ...JSON.parse(body), ...more });
  sayDone(done, told);
  if (told.token) showSecrets([told]);
  document.dispatchEvent(new Event("ordered")); // the part shows what has become of it
}

export function orderButtons() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-path]");
    if (button && event.detail < 2) tried(() => give(button)); // the second press of two may be upon what the first has brought
  });
  byId("secret-copy").addEventListener("click", () => copyText(byId("secret-value").value));
  byId("secret-save").addEventListener("click", () => download(`${byId("secret-value").value}\n`, "text/csv", "tokens.csv"));
  byId("secret").addEventListener("close", () => { byId("secret-value").value = ""; });
}

export const onOrdered = (does) => document.addEventListener("ordered", () => tried(does));

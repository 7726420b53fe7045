// Settings: those that can be changed while the server runs, and those that cannot.

import { byId, made } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { onOrdered, orderButton, row, say, sent, show, td } from "./operator_dom.js";

const form = byId("settings");
let known = {};

const inWords = (name) => name.replaceAll("_", " ").replace(/ ms$/, ", milliseconds");
const usual = (name, value) => (value === null && name === "open_registration" ? "open on this machine alone" : value === true ? "yes" : value === false ? "no" : value === "" || value === null ? "none" : String(value));

function input({ name, value, about }) {
  const known_ = { name, "aria-label": inWords(name), "aria-description": about };
  if (typeof value === "number") return made("input", "", { ...known_, type: "number", min: 1, value });
  if (typeof value === "string") return made("input", "", { ...known_, type: "text", maxlength: 40, value });
  const choice = made("select", "", known_);
  const choices = [["true", "yes"], ["false", "no"], ...(value === null ? [["null", usual(name, null)]] : [])];
  choice.append(...choices.map(([word, text]) => Object.assign(made("option", text, { value: word }), { selected: word === String(value) })));
  return choice;
}

function started({ name, value, started_with: start }) {
  if (value === start) return td(usual(name, start), "faint");
  const back = orderButton("Reset", "settings", { body: { [name]: null }, done: `${inWords(name)}: the value from the server's start.` });
  back.setAttribute("aria-label", `Reset to ${usual(name, start)}`);
  return td([`${usual(name, start)} `, back]);
}

function showSettings({ settings }) {
  known = Object.fromEntries(settings.map((one) => [one.name, one.value]));
  byId("changeable").replaceChildren();
  show("changeable", settings.filter((one) => one.changeable).map((one) => row(one.name, [td(made("b", inWords(one.name))), td(one.about, "about faint"), td(input(one)), started(one)])));
  show("fixed", settings.filter((one) => !one.changeable).map((one) => row(one.name, [td(inWords(one.name)), td(usual(one.name, one.value)), td(made("code", one.variable))])));
}

function changed() {
  return Object.fromEntries([...form.querySelectorAll("[name]")].flatMap((each) => {
    const before = known[each.name], value = each.tagName === "SELECT" ? JSON.parse(each.value) : typeof before === "number" ? Number(each.value) : each.value.trim();
    return value === before ? [] : [[each.name, value]];
  }));
}

export async function begin() {
  sent(form, async () => {
    const changes = changed(), names = Object.keys(changes);
    if (!names.length) return void say("Nothing has changed.");
    showSettings(await ask("settings", changes));
    say(`Saved: ${names.map(inWords).join(", ")}.`);
  });
  onOrdered(async () => showSettings(await ask("settings")));
  showSettings(await ask("settings"));
}

// The orders that operators have given.

import { byId, made } from "./dom.js";
import { ask } from "./my_bot_api.js";
import { every, named, row, show, td, tried, when } from "./operator_dom.js";

const AGAIN_MS = 5000;
const ANSWERS = { 200: "done", 201: "done" };
let orders = [], next = null, reachedBack = false;

const inWords = (value) => [value].flat().map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
const lines = (details) => Object.entries(details).map(([name, value]) => {
  const line = made("div", `${name}: `);
  inWords(value).forEach((text, i) => line.append(i ? ", " : "", named(text)));
  return line;
});

function showOrders() {
  show("orders", orders.map(({ id, at, who, way, address, path, details, status }) => row(String(id), [
    td(when(at)), td([named(who), ` (${way})`]), td(address), td(named(path), "details-cell"), td(lines(details), "details-cell faint"), td(ANSWERS[status] ?? `refused, ${status}`),
  ])));
  byId("no-orders").hidden = orders.length > 0;
  byId("older").hidden = !next;
}

// What is new goes before what is there.
async function refresh() {
  const told = await ask("audit");
  const fresh = told.orders.filter(({ id }) => !orders.some((known) => known.id === id));
  orders = [...fresh, ...orders];
  if (!reachedBack) next = told.next;
  showOrders();
}

async function older() {
  const told = await ask(next.replace("/api/v1/", ""));
  orders = [...orders, ...told.orders.filter(({ id }) => !orders.some((known) => known.id === id))];
  [next, reachedBack] = [told.next, true];
  showOrders();
}

export async function begin() {
  byId("older").addEventListener("click", () => tried(older));
  await every(AGAIN_MS, refresh);
}

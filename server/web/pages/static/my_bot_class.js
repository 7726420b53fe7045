// What an operator sees of all programs: a list, a deadline, a download, and a switch for each bot.

import { byId, made } from "./dom.js";
import { localTimes } from "./live.js";
import { ask, botPath } from "./my_bot_api.js";
import { deadlineSentence, examined, when } from "./my_bot_versions.js";

const LOOK_MS = 6000, MOST_OF_REASON = 200;
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare; // Team 10 after Team 9
const HERE = ["localhost", "127.0.0.1", "[::1]"];
const MENU = "operator"; // in the browser's own store: that the menu has the operators' pages (tabiya.js)

// opens(name): shows the programs of a bot.  tried(does): does what may be refused, and says why if it is.
export class ClassList {
  constructor({ opens, tried }) {
    [this.opens, this.tried, this.timer, this.known] = [opens, tried, null, ""];
    this.ends = this.asks = 0;
    byId("deadline").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#freeze(new Date(event.target.elements.at.value).getTime() / 1000);
    });
    byId("no-deadline").addEventListener("click", () => this.#freeze(null));
    document.addEventListener("visibilitychange", () => { if (!byId("class").hidden && !document.hidden) this.look(); });
  }

  // For an operator who has signed in, and for anyone who sits at the server's machine, where orders need no token.
  async begin({ signedIn }) {
    const ends = this.ends;
    if (!signedIn && (!HERE.includes(location.hostname) || !await ask("programs").catch(() => null))) return;
    if (ends !== this.ends) return; // somebody has signed in meanwhile
    localStorage.setItem(MENU, "yes");
    byId("operator-link").hidden = false;
    byId("class").hidden = false;
    await this.look();
  }

  end() {
    this.ends++;
    clearTimeout(this.timer);
    localStorage.removeItem(MENU);
    byId("operator-link").hidden = true;
    this.known = "";
    byId("class").hidden = true;
    byId("bots").replaceChildren();
  }

  async look() {
    clearTimeout(this.timer);
    const mine = ++this.asks, told = await ask("programs").catch(() => null);
    if (byId("class").hidden || mine !== this.asks) return; // what was asked later comes by itself
    if (told) this.#show(told);
    if (!document.hidden) this.timer = setTimeout(() => this.look(), LOOK_MS);
  }

  #freeze(at) {
    return this.tried(async () => {
      await ask("programs/deadline", { at });
      await this.look();
    });
  }

  #show({ deadline, bots }) {
    byId("deadline-now").textContent = deadlineSentence(deadline) || "No deadline.";
    byId("no-deadline").hidden = deadline === null;
    const now = JSON.stringify(bots);
    if (now === this.known) return;
    this.known = now;
    const focused = document.activeElement?.dataset?.key;
    const table = made("table", "", { class: "list" }), head = made("tr"), body = made("tbody");
    for (const name of ["Bot", "Game", "Newest", "Handed in", "Examined", "Plays", "Now"]) head.append(made("th", name));
    head.append(made("th", "Do", { class: "on-screen" }));
    body.append(...bots.toSorted((one, other) => inOrder(one.bot, other.bot)).map((bot) => this.#row(bot)));
    table.append(made("thead"), body);
    table.tHead.append(head);
    localTimes(table);
    byId("bots").replaceChildren(bots.length ? table : made("p", "Nobody has handed a program in yet.", { class: "empty" }));
    if (focused) byId("bots").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #row({ bot, disabled, newest, used }) {
    const row = made("tr"), name = made("td"), switched = disabled ? "Enable" : "Disable";
    const link = made("a", "", { class: "bot", href: `/bots/${encodeURIComponent(bot)}`, title: bot });
    link.append(made("bdi", bot));
    name.append(link);
    row.append(name);
    const now = disabled ? made("span", "disabled", { class: "pill frozen" }) : used?.doing || (newest.state === "new" ? newest.doing : "");
    const problem = newest.state === "refused" ? newest.examination?.problem ?? "" : "";
    const why = made("span", problem.length > MOST_OF_REASON ? `${problem.slice(0, MOST_OF_REASON)}…` : problem, { class: "reason" });
    for (const content of [[newest.game], [`version ${newest.number}`], [when(newest.created_at)], [examined(newest), why], [used ? `version ${used.number}` : "none"], [now]]) {
      const cell = made("td");
      cell.append(...content);
      row.append(cell);
    }
    const actions = made("td", "", { class: "row-actions on-screen" });
    const open = made("button", "Open", { type: "button", "data-key": `open ${bot}`, "aria-label": `Open ${bot}` });
    const turn = made("button", switched, { type: "button", "data-key": `switch ${bot}`, "aria-label": `${switched} ${bot}` });
    open.addEventListener("click", () => this.opens(bot));
    turn.addEventListener("click", () => this.tried(async () => {
      await ask(`${botPath(bot)}/programs/${switched.toLowerCase()}`, {});
      await this.look();
    }));
    actions.append(open, turn);
    row.append(actions);
    return row;
  }
}

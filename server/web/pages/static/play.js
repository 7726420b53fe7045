// A person at the board: one more client of the server, by the websocket that bots use (docs/reference/protocol.md).

import { Clocks } from "./clocks.js";
import { PlayBoard } from "./play_board.js";

const MOST_LISTED = 30, AGAIN_MS = 1500;
const FINAL = [4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012, 1009]; // close codes after which a client does not come back
const byId = (id) => document.getElementById(id);
const terms = byId("terms"), field = (name) => terms.elements[name];
const board = new PlayBoard(byId("board"), byId("choices"), send);
const clocks = new Clocks((which) => document.querySelector(`[data-clock="${which}"]`));

let socket = null, me = "", waits = false, wanted = null, challenge = null, again = null;
let match = null; // { number, seat, names, terms }
let seats = {}; // game -> what its seats are called
let turn = null; // the latest question, null while the opponent thinks

function say(text) { byId("status").textContent = text; }

// --- the form

async function showOpponents() {
  const bots = [];
  for (let part = "/api/v1/bots"; part;) {
    const answer = await fetch(part);
    if (!answer.ok) return;
    const told = await answer.json();
    bots.push(...told.bots);
    part = told.next;
  }
  const game = field("game").value, kept = field("opponent").value || new URLSearchParams(location.search).get("opponent");
  const there = bots.filter((bot) =>
    bot.connected && bot.name !== me && (!bot.plays.length || bot.plays.includes(game)));
  field("opponent").replaceChildren(...there.map(({ name }) => new Option(name, name)));
  if (there.some(({ name }) => name === kept)) field("opponent").value = kept;
  field("start").disabled = !there.length;
  if (!there.length && !match) say("No bot is here. Connect one, or wait for somebody to challenge you.");
}

function fromAddress() {
  const asked = new URLSearchParams(location.search);
  for (const name of ["game", "time"]) {
    if ([...field(name).options].some(({ value }) => value === asked.get(name))) field(name).value = asked.get(name);
  }
  field("name").value = localStorage.getItem("name") ?? "";
}

terms.addEventListener("submit", (event) => {
  event.preventDefault();
  const [game, opponent, time] = ["game", "opponent", "time"].map((name) => field(name).value);
  connect({ game, opponent, time });
});
field("wait").addEventListener("click", () => { if (terms.reportValidity()) connect(null); });
field("game").addEventListener("change", showOpponents);

// --- the connection

function connect(asked) {
  wanted = asked;
  waits = asked === null;
  localStorage.setItem("name", field("name").value.trim());
  if (socket?.readyState === WebSocket.OPEN) return void ask();
  say("connecting");
  socket = new WebSocket(terms.dataset.websocket, ["tabiya.v1.json"]);
  socket.addEventListener("open", () => tell({
    type: "hello", name: field("name").value.trim(), token: field("token").value, games: [], client: "page",
  }));
  socket.addEventListener("message", (event) => hear(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => lost(event));
}

function tell(message) { socket.send(JSON.stringify(message)); }

function ask() {
  if (waits) {
    const link = new URL(`/play?opponent=${encodeURIComponent(me)}&game=${field("game").value}`, location.href);
    return say(`You are here as ${me}. Whoever opens ${link} can challenge you.`);
  }
  const { game, opponent, time } = wanted;
  tell({ type: "challenge", opponent, game, time, rated: false, opening: false });
  say(`${opponent} is asked.`);
}

function lost({ code, reason }) {
  clocks.stop();
  board.lock();
  if (match && !match.over && again === null && !FINAL.includes(code)) {
    say(`The connection is lost${reason ? ` (${reason})` : ""}; trying again.`);
    again = setTimeout(() => { again = null; connect(wanted); }, AGAIN_MS);
  } else if (!match?.over) {
    say(reason ? `The server has closed the connection: ${reason}` : "The server cannot be reached.");
  }
}

const HEARD = {
  welcome(message) {
    me = message.name;
    if (message.matches.length) return void say("Your match goes on.");
    if (match && !match.over) return void say(`The match cannot go on: ${me} is somebody else for the server. It keeps names with a token.`);
    ask();
  },
  challenged(message) {
    if (message.yours) return;
    if (match && !match.over) return void tell({ type: "decline", challenge: message.challenge, reason: "I am playing" });
    challenge = message.challenge;
    byId("question").textContent = `${message.opponent} wants to play: ${title(message.game)}, ${clockWords(message.time)}.`;
    byId("asked").hidden = false;
    byId("accept").focus();
  },
  challenge_ended(message) {
    byId("asked").hidden = true;
    if (message.outcome !== "accepted") say(`${message.opponent}: ${message.outcome}${message.reason ? `, ${message.reason}` : ""}`);
  },
  match_started(message) {
    match = { number: message.match, seat: message.seat, names: message.names, game: message.game, time: message.time_control, over: false };
    turn = null;
    terms.hidden = true;
    byId("table").hidden = false;
    byId("asked").hidden = true;
    byId("title").textContent = `${message.names[0]} against ${message.names[1]}`;
    for (const id of ["rematch", "leave"]) byId(id).hidden = true;
    for (const id of ["draw", "resign"]) byId(id).hidden = false;
    byId("record").href = `/matches/${match.number}`;
    for (const [which, seat] of [["near", match.seat], ["far", 1 - match.seat]]) {
      const called = seats[message.game]?.[seat];
      document.querySelector(`[data-who="${which}"]`).textContent = message.names[seat] + (called ? `, ${called}` : "");
    }
    say(`${title(message.game)} against ${message.names[1 - match.seat]}, ${clockWords(message.time_control)}.`);
    tell({ type: "watch", match: match.number });
  },
  watching(message) {
    if (message.match !== match?.number) return;
    board.show(match.number, message.ply, match.seat);
    byId("list").replaceChildren(...message.moves.map((move) => Object.assign(document.createElement("li"), { textContent: move })));
    byId("list").scrollTop = byId("list").scrollHeight;
    clocks.set(message.clock_ms, match.seat, message.to_move, message.thinking_ms ?? 0);
    if (message.to_move === match.seat) return;
    board.lock();
    if (!match.over && message.to_move !== null) say(`${message.names[message.to_move]} is thinking.`);
  },
  turn(message) {
    if (match?.number !== message.match) {
      const number = message.match;
      match = { number, seat: message.seat, names: ["", ""], game: message.game, time: message.time_control, over: false };
      byId("table").hidden = false;
      terms.hidden = true;
      tell({ type: "watch", match: number });
    }
    turn = message;
    const played = message.last_move ? ` ${match.names[1 - match.seat]} has played ${message.last_move}.` : "";
    const offer = message.draw_offered ? " A draw is offered: offer one yourself to accept it." : "";
    const only = message.legal_moves.length === 1 ? ` You can only play ${message.legal_moves[0]}.` : "";
    say(`Your move.${played}${offer}${only}`);
    board.show(message.match, message.ply, message.seat).then(() => { if (turn === message) board.ask(message.legal_moves); });
  },
  draw_offered(message) { if (message.match === match?.number) say("A draw is offered: offer one yourself to accept it."); },
  match_ended(message) {
    if (message.match !== match?.number) return;
    match.over = true;
    turn = null;
    clocks.stop();
    board.lock();
    const word = message.score === 1 ? "You have won" : message.score === 0 ? "You have lost" : message.score === 0.5 ? "A draw" : "No result";
    say(`${word}: ${message.ending.replaceAll("_", " ")}${message.reason ? ` (${message.reason})` : ""}.`);
    for (const id of ["draw", "resign"]) byId(id).hidden = true;
    for (const id of ["rematch", "leave"]) byId(id).hidden = false;
    byId("rematch").focus();
  },
  refused(message) {
    say(message.message);
    if (turn && message.match === turn.match && message.about === "move") board.ask(turn.legal_moves);
  },
  busy(message) { say(message.message || `The server is busy; try again in ${Math.ceil(message.retry_ms / 1000)} seconds.`); },
  notice(message) { if (!match || match.over) say(message.text); },
};

function hear(message) { HEARD[message.type]?.(message); }

// --- what a person does

function send(move) {
  if (!turn) return;
  tell({ type: "move", match: turn.match, ply: turn.ply, move });
  board.lock();
}

byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = event.target.elements.move, move = input.value.trim();
  if (!turn) return void say("It is not your move.");
  const fits = turn.legal_moves.filter((legal) => legal.toLowerCase() === move.toLowerCase());
  if (!fits.length) return void say(`${move || "Nothing"} is no move here. There are: ${turn.legal_moves.slice(0, MOST_LISTED).join(" ")}`);
  input.value = "";
  send(fits[0]);
});
byId("accept").addEventListener("click", () => { tell({ type: "accept", challenge }); byId("asked").hidden = true; });
byId("decline").addEventListener("click", () => { tell({ type: "decline", challenge }); byId("asked").hidden = true; });
byId("resign").addEventListener("click", () => tell({ type: "resign", match: match.number }));
byId("draw").addEventListener("click", () => {
  tell({ type: "draw_offer", match: match.number, ply: turn?.ply ?? byId("list").children.length });
  say("You offer a draw; it holds until your opponent has moved.");
});
byId("rematch").addEventListener("click", () => {
  wanted = { game: match.game, opponent: match.names[1 - match.seat], time: match.time };
  waits = false;
  connect(wanted);
});
byId("leave").addEventListener("click", () => {
  byId("table").hidden = true;
  terms.hidden = false;
  byId("title").textContent = "Play";
  say("");
  showOpponents();
});

function title(game) { return [...field("game").options].find(({ value }) => value === game)?.text ?? game; }

function clockWords(time) { return [...field("time").options].find(({ value }) => value === time)?.text ?? time; }

fromAddress();
showOpponents();
fetch("/api/v1/games").then((answer) => answer.json()).then(({ games }) => {
  seats = Object.fromEntries(games.map((game) => [game.name, game.seats]));
});
setInterval(() => { if (!terms.hidden && !document.hidden) showOpponents(); }, 5000);

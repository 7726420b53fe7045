// A person at the board: one more client of the server, by the websocket that bots use (docs/reference/protocol.md).

import { Clocks } from "./clocks.js";
import { byId, copyText, made } from "./dom.js";
import { ask as api } from "./my_bot_api.js";
import { PlayBoard } from "./play_board.js";
import { Connection, forgetLeftBehind, leftBehind, remember, remembered } from "./play_connection.js";
import { chosenTerms, clockWords, field, fillIn, games, invitation, onlyName, startOf, terms, termsWords, title } from "./play_terms.js";

const MOST_LISTED = 30, REPLACED = 4005, SURE_MS = 4000, SENT = -1;
const board = new PlayBoard(byId("board"), byId("choices"), play);
const clocks = new Clocks((which) => document.querySelector(`[data-clock="${which}"]`), (text) => { byId("clock-news").textContent = text; });
const connection = new Connection(terms.dataset.websocket, hear, lost);

let me = "";
let wanted = null; // to be said once welcomed: a challenge, or the acceptance of one
let waits = null; // the number of one's own open challenge
let asked = null; // somebody who was challenged: the number of that, SENT until the server has told it
let match = null; // { number, seat, names, game, start, time, over, takeBacks }; start: as `startOf`
let turn = null; // the latest question, null while the opponent thinks
let registering = false;
let goesOn = false; // the next match goes on with this one, from which a move was taken back

function say(text) { byId("status").textContent = text; }

function show({ form = false, table = false, waiting = false }) {
  for (const [id, shown] of [["terms", form], ["setup-box", form], ["table", table], ["waiting", waiting]]) byId(id).hidden = !shown;
}

// A question with two answers; a later one takes its place.
function ask(text, yes, onYes, no, onNo = () => {}) {
  byId("question-text").textContent = text;
  for (const [id, label, then] of [["yes", yes, onYes], ["no", no, onNo]]) {
    byId(id).textContent = label;
    byId(id).onclick = () => { unask(); then(); };
  }
  byId("question").hidden = false;
  byId("yes").focus();
}

// The moves so far as people write them, the last one in sight.
function list({ readable }) {
  byId("list").replaceChildren(...readable.map((move) => made("li", move)));
  byId("list").scrollTop = byId("list").scrollHeight;
}

function unask() { byId("question").hidden = true; }

// --- beginning

terms.addEventListener("submit", (event) => {
  event.preventDefault();
  if (terms.classList.contains("invited")) return void begin({ accepts: terms.invitation });
  begin({ challenges: chosenTerms() });
});

field("invite").addEventListener("click", () => {
  if (!terms.reportValidity()) return;
  const { opponent, ...rest } = chosenTerms(), bits = crypto.getRandomValues(new Uint8Array(16));
  const code = btoa(String.fromCharCode(...bits)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  remember({ invitation: { ...rest, code } });
  begin({ invites: true });
});

// On a server that admits only registered names a new one is registered first. Whether its token is there, or was not needed.
async function isRegistered() {
  const code = field("code"), name = field("name").value.trim(), known = remembered();
  if (!code || field("token").value) return true;
  if (name === known.name && (known.token || connection.open)) {
    field("token").value = known.token;
    return true;
  }
  if (!code.value.trim()) {
    say("This server admits only registered names. Give the token of yours, or the invite code to register a new one.");
    code.focus();
    return false;
  }
  try {
    const { token } = await api("register", { name, invite: code.value.trim() });
    byId("new-token").value = field("token").value = token;
    code.value = "";
    byId("token-card").hidden = false;
    return true;
  } catch (refused) {
    say(refused.message);
    return false;
  }
}

async function begin(what) {
  if (registering || connection.isBeginning || asked === SENT) return; // pressed twice
  registering = true;
  const may = await isRegistered();
  registering = false;
  if (!may) return void remember({ invitation: null }); // else a reload would offer it
  const name = field("name").value.trim(), token = field("token").value, known = remembered();
  localStorage.setItem("name", name);
  const same = name === known.name || name === known.asked;
  remember({ name: same ? known.name : name, asked: name, token, resume: same ? known.resume : "", match: null });
  wanted = what;
  if (connection.open && same) return void speak();
  say("connecting");
  connection.connect();
}

// Says what is wanted, once welcomed.
function speak() {
  const { challenges, accepts } = wanted ?? {}, invitation = remembered().invitation;
  wanted = null;
  if (accepts) connection.tell({ type: "accept", challenge: accepts.challenge, code: accepts.code });
  else if (challenges) {
    giveUp();
    asked = SENT;
    connection.tell({ type: "challenge", ...challenges, rated: false, opening: false });
    say(`${challenges.opponent} has been asked.`);
  } else if (invitation) connection.tell({ type: "challenge", ...invitation, rated: false, opening: false });
}

// Whoever was challenged before is not waited for any more: nobody plays two matches at one table.
function giveUp() {
  if (asked !== null && asked !== SENT) connection.tell({ type: "decline", challenge: asked });
  asked = null;
}

function lost(reason, code, returns) {
  board.lock();
  [turn, asked] = [null, null];
  if (code === REPLACED && match && !match.over) return void ask("This game has been opened in another tab.", "Play here", () => connection.connect(), "Leave it there");
  if (returns) say(`The connection is lost${reason ? ` (${reason})` : ""}; trying again.`);
  else if (!match || !match.over) say(reason ? `The server has closed the connection: ${reason}` : "The server cannot be reached.");
}

// --- what the server says

// The match that this tab has played is over, and nobody was here to hear it.
async function missed(number) {
  remember({ match: null });
  const answer = await fetch(`/api/v1/matches/${number}`).catch(() => null), found = answer?.ok ? await answer.json() : null;
  if (match && match.number !== number) return; // another one has begun meanwhile
  if (match) over(); else show({ form: true });
  say(found?.result ? `Your match ended while you were away: ${found.result.sentence}` : "Your match is over.");
}

function over() {
  match.over = true;
  turn = null;
  remember({ match: null });
  clocks.stop();
  board.lock();
  for (const id of ["draw", "resign", "take-back", "typed"]) byId(id).hidden = true;
  for (const id of ["rematch", "leave"]) byId(id).hidden = false;
}

// How a game ended in which time ran out, for a person; undefined for other endings. The reason that the server gives is for the author of a bot.
function outOfTime({ ending, score, clock_ms: clocks }) {
  const opponent = match.names[1 - match.seat];
  return {
    time: score ? `${opponent} ran out of time` : "your time ran out",
    stall: score ? `${opponent} made no move for too long` : "you made no move for too long",
    time_cannot_win: clocks && (clocks[match.seat] ? `${opponent} ran out of time, but you cannot win any more` : `your time ran out, but ${opponent} cannot win any more`),
  }[ending];
}

// The table of a match, new or come back into; `watch` brings its moves and clocks.
function sit(number, seat, game, start, names, time, takeBacks) {
  match = { number, seat, names, game, start, time, takeBacks, over: false };
  turn = null;
  waits = null;
  remember({ match: number, start, invitation: null });
  board.letters = games[game]?.letters ?? {};
  show({ table: true });
  onlyName(false);
  unask();
  for (const id of ["rematch", "leave"]) byId(id).hidden = true;
  unsure();
  byId("resign").hidden = byId("typed").hidden = false;
  byId("draw").hidden = !games[game]?.draws_possible;
  byId("take-back").hidden = !takeBacks;
  byId("record").href = `/matches/${number}`;
  nameSeats();
  connection.tell({ type: "watch", match: number });
}

function nameSeats() {
  byId("title").textContent = `${match.names[0]} against ${match.names[1]}`;
  for (const [which, seat] of [["near", match.seat], ["far", 1 - match.seat]]) {
    document.querySelector(`[data-who="${which}"]`).textContent = `${match.names[seat]}, ${games[match.game]?.seats[seat] ?? ""}`;
  }
}

const HEARD = {
  welcome(message) {
    me = field("name").value = message.name;
    const running = message.matches.at(-1), before = remembered().match;
    if (running) {
      const names = running.seat ? [running.opponent, me] : [me, running.opponent];
      wanted = null;
      sit(running.match, running.seat, running.game, remembered().start ?? {}, names, match?.time ?? "", true);
      say("Your match continues.");
    } else if (before) missed(before);
    else speak();
  },
  challenged(message) {
    if (message.yours) {
      if (message.opponent) {
        asked = message.challenge;
        return;
      }
      waits = message.challenge;
      byId("link").value = new URL(`/play?challenge=${remembered().invitation.code}`, location.href);
      show({ waiting: true });
      return void say(`You wait as ${me}: ${termsWords(message)}.`);
    }
    if (match && !match.over) return void connection.tell({ type: "decline", challenge: message.challenge, reason: "I am playing" });
    const seat = message.seat === null || message.seat === undefined ? "" : `, you play ${games[message.game]?.seats[message.seat]}`;
    const answer = (type) => () => connection.tell({ type, challenge: message.challenge });
    ask(`${message.opponent} wants to play: ${termsWords(message)}${seat}.`, "Accept", answer("accept"), "Decline", answer("decline"));
  },
  challenge_ended(message) {
    if (message.challenge === waits) waits = null;
    if (message.challenge === asked) asked = null;
    if (message.outcome === "accepted" || match && !match.over) return;
    unask();
    say(`${message.opponent ?? "The link"}: ${message.outcome}${message.reason ? `, ${message.reason}` : ""}`);
  },
  match_started(message) {
    giveUp();
    sit(message.match, message.seat, message.game, startOf(message), message.names, message.time_control, !message.rated && !message.tournament);
    const begins = goesOn ? "A move was taken back" : title(message.game);
    goesOn = false;
    say(`${begins} against ${message.names[1 - message.seat]}, ${clockWords(message.time_control)}. You play ${games[message.game]?.seats[message.seat]}.`);
  },
  watching(message) {
    if (message.match !== match?.number) return;
    Object.assign(match, { names: message.names, time: message.time_control, ply: message.ply });
    nameSeats();
    board.show(match.number, message.ply, match.seat).then(list);
    byId("take-back").disabled = message.ply < (message.to_move === match.seat ? 2 : 1);
    if (match.over) return;
    clocks.set(message.clock_ms, match.seat, message.to_move, message.thinking_ms ?? 0);
    if (message.to_move === match.seat) return;
    board.lock();
    if (message.to_move !== null) say(`${message.names[message.to_move]} is thinking.`);
  },
  turn(message) {
    if (match?.number !== message.match) return;
    unask(); // the opponent has moved: what it has asked has lapsed
    const moves = turn?.match === message.match && turn.ply + 1 === message.ply ? "You move again." : "Your move.";
    turn = message;
    if (message.draw_offered) HEARD.draw_offered(message);
    board.show(message.match, message.ply, message.seat).then((shown) => {
      if (turn !== message) return;
      const opponent = match.names[1 - match.seat], last = shown.readable.at(-1);
      const only = shown.legal.length === 1 ? ` You can only play ${shown.legal_readable[0]}.` : "";
      const before = last && moves === "Your move." ? ` ${opponent} has played ${last}.` : "";
      say(`${moves}${before}${only}`);
      board.ask(message.legal_moves);
    });
  },
  draw_offered(message) {
    if (message.match !== match?.number) return;
    const accept = () => connection.tell({ type: "draw_offer", match: message.match, ply: message.ply });
    ask(`${match.names[1 - match.seat]} offers a draw.`, "Accept the draw", accept, "Play on");
  },
  take_back_asked(message) {
    if (message.match !== match?.number) return;
    const agree = () => connection.tell({ type: "take_back", match: message.match, ply: message.ply, agree: true });
    ask(`${match.names[1 - match.seat]} asks to take a move back.`, "Agree", agree, "No");
  },
  match_ended(message) {
    if (message.match !== match?.number) return;
    unask();
    goesOn = Boolean(message.goes_on); // in the match that begins next
    if (goesOn) return;
    over();
    const word = message.score === 1 ? "You have won" : message.score === 0 ? "You have lost" : message.score === 0.5 ? "A draw" : "No result";
    const why = `${message.ending.replaceAll("_", " ")}${message.reason ? ` (${message.reason})` : ""}`;
    say(`${word}: ${outOfTime(message) ?? why}.`);
    byId("rematch").focus();
  },
  refused(message) {
    say(message.message);
    if (message.about === "challenge" && asked === SENT) asked = null;
    if (turn && message.match === turn.match && message.about === "move") board.ask(turn.legal_moves);
    if (message.about === "accept") invited();
    if (["bad_options", "bad_position"].includes(message.code)) remember({ invitation: null }); // it would be refused again
    if (message.about === "challenge" && !waits && !match) show({ form: true });
  },
  busy(message) {
    if (asked === SENT) asked = null;
    say(message.message || `The server is busy; try again in ${Math.ceil(message.retry_ms / 1000)} seconds.`);
  },
  notice(message) { if (!match || match.over) say(message.text); },
};

function hear(message) { HEARD[message.type]?.(message); }

// --- what a person does

function play(move) {
  if (!turn) return;
  connection.tell({ type: "move", match: turn.match, ply: turn.ply, move });
  board.lock();
  byId("board").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
}

// The legal move that a person means: in the notation of the wire, as the board's moves are written, else as the game reads it.
async function meant(text, { position }, { legal, legal_readable: readable }) {
  const same = (move) => move.toLowerCase() === text.toLowerCase();
  const at = [legal.findIndex(same), readable.indexOf(text)].find((found) => found >= 0);
  if (at !== undefined) return legal[at];
  const answer = text && await fetch(`/api/v1/games/${match.game}/board?${new URLSearchParams({ position, moves: text })}`).catch(() => null);
  const moves = answer?.ok ? (await answer.json()).moves : [];
  return moves.length === 1 && legal.includes(moves[0]) ? moves[0] : null;
}

byId("typed").addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = event.target.elements.move, text = input.value.trim(), asked = turn;
  if (!asked) return void say("It is not your move.");
  const shown = await board.show(asked.match, asked.ply, asked.seat), move = await meant(text, asked, shown);
  if (turn !== asked) return;
  if (!move) return void say(`${text ? `${text} is not a legal move.` : "Type a move."} Legal moves: ${shown.legal_readable.slice(0, MOST_LISTED).join(" ")}`);
  input.value = "";
  play(move);
  input.focus();
});
byId("copy").addEventListener("click", async () => {
  const isCopied = await copyText(byId("link").value);
  byId("link").select();
  say(isCopied ? "The link is copied." : "The browser does not let this page copy. The link is selected: copy it by hand (Ctrl+C).");
});
byId("copy-token").addEventListener("click", async () => {
  if (!await copyText(byId("new-token").value)) byId("new-token").select();
});
byId("token-kept").addEventListener("click", () => { byId("token-card").hidden = true; });
byId("withdraw").addEventListener("click", () => {
  connection.tell({ type: "decline", challenge: waits });
  remember({ invitation: null });
  show({ form: true });
  say("The link is withdrawn.");
});
byId("resign").addEventListener("click", ({ target }) => {
  if (target.dataset.sure) return connection.tell({ type: "resign", match: match.number });
  target.dataset.sure = "yes";
  target.textContent = "Really resign?";
  setTimeout(unsure, SURE_MS);
});

// Whoever wanted to resign this match or the one before is asked again.
function unsure() {
  delete byId("resign").dataset.sure;
  byId("resign").textContent = "Resign";
}
byId("draw").addEventListener("click", () => {
  connection.tell({ type: "draw_offer", match: match.number, ply: match.ply });
  say("You offer a draw. The offer is valid until your opponent moves.");
});
byId("take-back").addEventListener("click", () => {
  connection.tell({ type: "take_back", match: match.number, ply: match.ply });
  say(`${match.names[1 - match.seat]} is asked whether you may take your last move back.`);
});
byId("rematch").addEventListener("click", () => {
  begin({ challenges: { game: match.game, ...match.start, opponent: match.names[1 - match.seat], time: match.time, seat: 1 - match.seat } });
});
byId("leave").addEventListener("click", () => {
  match = null;
  show({ form: true });
  byId("title").textContent = "Play";
  say("");
});

// --- how the page begins

// Came by a link: says what it is, or that it is stale.
async function invited() {
  const found = await invitation();
  if (found === undefined) return false;
  terms.invitation = found;
  onlyName(found !== null);
  history.replaceState(null, "", found ? location.href : "/play");
  if (found === null) say("This link is no longer valid: somebody has taken the game, it was withdrawn, or its maker has left. Ask for a new link.");
  else {
    const seat = found.seat === null ? "" : `, you play ${games[found.game]?.seats[found.seat]}`;
    say(`${found.challenger} invites you: ${termsWords(found)}${seat}.`);
  }
  return true;
}

async function start() {
  await fillIn();
  const tab = remembered(), left = leftBehind();
  if (tab.match || tab.invitation) {
    field("name").value = tab.name;
    return void connection.connect();
  }
  show({ form: true });
  if (await invited() || !left) return;
  ask(`A game of yours as ${left.name} may still run.`, "Continue it", () => {
    remember({ ...left, token: "" });
    connection.connect();
  }, "Forget it", forgetLeftBehind);
}

start().catch(() => say("The server cannot be reached; load this page again."));

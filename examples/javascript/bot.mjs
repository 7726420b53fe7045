// A whole bot for Tabiya in Node: it plays every game, and comes back when it is cut off.
// To make it yours, change `choose`.
//
//     node bot.mjs [ADDRESS [NAME [GAME ...]]]        a name may also be in $TABIYA_NAME, a token is in $TABIYA_TOKEN

const { WebSocket } = globalThis.WebSocket ? globalThis : await import("ws"); // built in since Node 22

const { TABIYA_NAME = "javascript", TABIYA_TOKEN = "" } = process.env;
const [ADDRESS = "ws://127.0.0.1:8765", NAME = TABIYA_NAME, ...GAMES] = process.argv.slice(2);

const FINAL = [1009, 4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012]; // close codes after which there is no coming back
const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

/** One of turn.legal_moves; turn.position is the board, turn.move_limit_ms the time there is. */
function choose(turn) {
  return turn.legal_moves[Math.floor(Math.random() * turn.legal_moves.length)];
}

let turn; // the one answered last
let waitMs = SHORTEST_WAIT_MS; // before the next attempt to connect, up to twice as long

function connect() {
  const server = new WebSocket(ADDRESS); // a client that names no subprotocol speaks JSON
  const send = (message) => server.send(JSON.stringify(message));
  server.onopen = () => send({ type: "hello", name: NAME, token: TABIYA_TOKEN });
  server.onmessage = (event) => receive(JSON.parse(event.data), send);
  const ended = (code, reason) => {
    server.onerror = server.onclose = null; // of these two, one may come without the other
    console.log(`${ADDRESS}: the connection has ended: ${code} ${reason}`);
    if (FINAL.includes(code)) process.exit(1);
    setTimeout(connect, waitMs * (1 + Math.random())); // partly at random, so as not to come in a herd
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  };
  server.onclose = (event) => ended(event.code, event.reason);
  server.onerror = (event) => ended(1006, event.message ?? "");
}

/** Does what a message asks for; one that we do not know asks for nothing. */
function receive(message, send) {
  const move = () => send({ type: "move", match: turn.match, ply: turn.ply, move: choose(turn) });
  switch (message.type) {
    case "welcome":
      waitMs = SHORTEST_WAIT_MS;
      for (const game of GAMES.length ? GAMES : message.games) send({ type: "seek", game });
      break;
    case "turn":
      turn = message;
      move();
      break;
    case "refused":
      console.log(`refused: ${message.message}`);
      if (["illegal_move", "unreadable_move"].includes(message.code)) move(); // the turn waits for another move
      break;
    case "match_ended":
      console.log(`${message.game}, match ${message.match}: ${message.result} (${message.ending})`);
      break;
    case "busy":
      waitMs += message.retry_ms;
      break;
  }
}

connect();

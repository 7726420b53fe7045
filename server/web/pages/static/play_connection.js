// The websocket of a person who plays: hello, coming back after the connection was lost, and what a tab remembers of it.

const FINAL = [4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012, 1009]; // close codes after which a client does not come back
const FIRST_WAIT_MS = 500, LONGEST_WAIT_MS = 30000;
const TAB = "tabiya-play", GUEST = "tabiya-guest";

// What this tab knows: { name, token, resume, match, options, invitation, terms }; a reload finds it again, a closed tab forgets it.
export function remembered() { return JSON.parse(sessionStorage.getItem(TAB) ?? "{}"); }

export function remember(more) {
  const known = { ...remembered(), ...more };
  sessionStorage.setItem(TAB, JSON.stringify(known));
  // for the time after this tab was closed; never a token
  if (known.match && !known.token) localStorage.setItem(GUEST, JSON.stringify({ name: known.name, resume: known.resume, match: known.match, start: known.start }));
  else if (JSON.parse(localStorage.getItem(GUEST) ?? "{}").name === known.name) localStorage.removeItem(GUEST);
}

// The match of a guest whose tab was closed: { name, resume, match, options }, or null.
export function leftBehind() { return JSON.parse(localStorage.getItem(GUEST) ?? "null"); }

export function forgetLeftBehind() { localStorage.removeItem(GUEST); }

export class Connection {
  // hear: is given each message.  lost: is told why there is no connection, and whether it comes again by itself.
  constructor(address, hear, lost) {
    [this.address, this.hear, this.lost, this.socket, this.tries, this.isWelcome] = [address, hear, lost, null, 0, false];
  }

  get open() { return this.socket?.readyState === WebSocket.OPEN; }

  // Whether it is on its way: connected perhaps, and not welcomed yet.
  get isBeginning() { return Boolean(this.socket) && this.socket.readyState <= WebSocket.OPEN && !this.isWelcome; }

  tell(message) { if (this.open) this.socket.send(JSON.stringify(message)); }

  // Says hello as this tab remembers itself.
  connect() {
    clearTimeout(this.again);
    if (this.socket) this.socket.onclose = null;
    this.socket?.close();
    this.isWelcome = false;
    const socket = this.socket = new WebSocket(this.address, ["tabiya.v1.json"]);
    const { name, token, resume } = remembered();
    socket.onopen = () => this.tell({ type: "hello", name, token: token ?? "", resume: resume ?? "", games: [], client: "page" });
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "welcome") {
        [this.tries, this.isWelcome] = [0, true];
        remember({ name: message.name, resume: message.resume });
      }
      this.hear(message);
    };
    socket.onclose = ({ code, reason }) => {
      const returns = Boolean(remembered().match || remembered().invitation) && !FINAL.includes(code);
      this.lost(reason, code, returns);
      if (!returns) return;
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.tries++) * (0.5 + Math.random() / 2);
      this.again = setTimeout(() => this.connect(), wait);
    };
  }

  close() {
    clearTimeout(this.again);
    if (this.socket) this.socket.onclose = null;
    this.socket?.close();
    this.socket = null;
  }
}

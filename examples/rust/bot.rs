//! A whole bot for Tabiya with tungstenite and serde_json: it plays every game, and comes back when it is cut off.
//! To make it yours, change `choose`.
//!
//!     cargo run -- [ADDRESS [NAME [GAME ...]]]        a name may also be in $TABIYA_NAME, a token is in $TABIYA_TOKEN

use rand::{random, seq::SliceRandom, thread_rng};
use serde_json::{json, Value};
use std::{env, net::TcpStream, process::exit, thread::sleep, time::Duration};
use tungstenite::{connect, stream::MaybeTlsStream, Error, Message, WebSocket};

/// Close codes after which there is no coming back.
const FINAL: [u16; 9] = [1009, 4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012];
const SHORTEST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// One of turn["legal_moves"]; turn["position"] is the board, turn["move_limit_ms"] the time there is.
fn choose(turn: &Value) -> &Value {
    let moves = turn["legal_moves"].as_array().expect("a turn lists its legal moves");
    moves.choose(&mut thread_rng()).expect("a turn has legal moves")
}

struct Bot {
    name: String,
    games: Vec<Value>, // none: every game of the server
    turn: Value,       // the one answered last
    wait: Duration,    // before the next attempt to connect, up to twice as long
}

type Server = WebSocket<MaybeTlsStream<TcpStream>>;

impl Bot {
    /// Connects and answers every message until the connection ends; returns the close code.
    fn play(&mut self, address: &str) -> Result<u16, Error> {
        let (mut server, _) = connect(address)?; // a client that names no subprotocol speaks JSON
        let token = env::var("TABIYA_TOKEN").unwrap_or_default();
        send(&mut server, json!({"type": "hello", "name": self.name, "token": token}));
        loop {
            match server.read()? {
                Message::Text(text) => self.receive(&mut server, serde_json::from_str(&text).unwrap_or_default()),
                Message::Close(Some(frame)) => {
                    println!("the connection has ended: {} {}", frame.code, frame.reason);
                    return Ok(frame.code.into());
                }
                _ => {}
            }
        }
    }

    /// Does what a message asks for; one that we do not know asks for nothing.
    fn receive(&mut self, server: &mut Server, message: Value) {
        let text = |field: &str| message[field].as_str().unwrap_or_default().to_owned();
        match message["type"].as_str() {
            Some("welcome") => {
                self.wait = SHORTEST_WAIT;
                let all = message["games"].as_array().unwrap_or(&self.games);
                for game in if self.games.is_empty() { all } else { &self.games } {
                    send(server, json!({"type": "seek", "game": game}));
                }
            }
            Some("turn") => {
                self.turn = message;
                self.answer(server);
            }
            Some("refused") => {
                println!("refused: {}", text("message"));
                if message["code"] == "illegal_move" || message["code"] == "unreadable_move" {
                    self.answer(server); // the turn waits for another move
                }
            }
            Some("match_ended") => {
                println!("{}, match {}: {} ({})", text("game"), message["match"], text("result"), text("ending"));
            }
            Some("busy") => self.wait += Duration::from_millis(message["retry_ms"].as_u64().unwrap_or(2000)),
            _ => {}
        }
    }

    fn answer(&self, server: &mut Server) {
        let turn = &self.turn;
        send(server, json!({"type": "move", "match": turn["match"], "ply": turn["ply"], "move": choose(turn)}));
    }
}

fn send(server: &mut Server, message: Value) {
    let _ = server.send(Message::text(message.to_string())); // where this fails, reading fails next
}

fn main() {
    let mut arguments = env::args().skip(1);
    let address = arguments.next().unwrap_or("ws://127.0.0.1:8765".into());
    let name = arguments.next().or(env::var("TABIYA_NAME").ok()).unwrap_or("rust".into());
    let games = arguments.map(Value::from).collect();
    let mut bot = Bot { name, games, turn: Value::Null, wait: SHORTEST_WAIT };
    loop {
        match bot.play(&address) {
            Ok(code) if FINAL.contains(&code) => exit(1),
            Ok(_) => {}
            Err(error) => println!("{address}: {error}"),
        }
        sleep(bot.wait.mul_f64(1.0 + random::<f64>())); // partly at random, so as not to come in a herd
        bot.wait = LONGEST_WAIT.min(2 * bot.wait);
    }
}

// A whole bot for Tabiya with nothing but gorilla/websocket: it plays every game, and comes back when it is cut off.
// bot [ADDRESS [NAME [GAME ...]]] runs it; a name may be in $TABIYA_NAME, a token is in $TABIYA_TOKEN. Change choose.
package main

import (
	"encoding/json"
	"log"
	"math/rand"
	"os"
	"time"

	"github.com/gorilla/websocket"
)

// Message has those fields of the server's messages that we read.
type Message struct {
	Type, Game, Position, Result, Ending, Code, Message string

	Match, Ply int64
	Games      []string
	LegalMoves []string `json:"legal_moves"`
	LimitMs    int64    `json:"move_limit_ms"`
	RetryMs    int64    `json:"retry_ms"`
}

const shortestWait, longestWait = 250 * time.Millisecond, 15 * time.Second

var final = []int{1009, 4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012} // close codes: there is no coming back

var (
	address, name = "ws://127.0.0.1:8765", os.Getenv("TABIYA_NAME")
	games         []string       // none: every game of the server
	turn          Message        // the one answered last
	wait          = shortestWait // before the next attempt to connect, up to twice as long
	chance        = rand.New(rand.NewSource(time.Now().UnixNano()))
)

// choose returns one of turn.LegalMoves; turn.Position is the board, turn.LimitMs the time there is.
func choose(turn Message) string { return turn.LegalMoves[chance.Intn(len(turn.LegalMoves))] }

// play connects and answers every message, until the connection ends.
func play() error {
	server, _, err := websocket.DefaultDialer.Dial(address, nil) // a client that names no subprotocol speaks JSON
	if err != nil {
		return err
	}
	defer server.Close()
	send := func(message map[string]any) { _ = server.WriteJSON(message) } // where this fails, reading fails next
	send(map[string]any{"type": "hello", "name": name, "token": os.Getenv("TABIYA_TOKEN")})
	for {
		_, text, err := server.ReadMessage()
		if err != nil {
			return err
		}
		var message Message
		_ = json.Unmarshal(text, &message) // leaves out what is not as we know it
		receive(message, send)
	}
}

// receive does what a message asks for; one that we do not know asks for nothing.
func receive(message Message, send func(map[string]any)) {
	move := func(text string) {
		send(map[string]any{"type": "move", "match": turn.Match, "ply": turn.Ply, "move": text})
	}
	switch message.Type {
	case "welcome":
		wait = shortestWait
		if len(games) == 0 {
			games = message.Games
		}
		for _, game := range games {
			send(map[string]any{"type": "seek", "game": game})
		}
	case "turn":
		turn = message
		move(choose(turn))
	case "refused":
		log.Print("refused: ", message.Message)
		if message.Code == "illegal_move" || message.Code == "unreadable_move" {
			move(choose(turn)) // the turn waits for another move
		}
	case "match_ended":
		log.Printf("%s, match %d: %s (%s)", message.Game, message.Match, message.Result, message.Ending)
	case "busy":
		wait += time.Duration(message.RetryMs) * time.Millisecond
	}
}

func main() {
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if len(os.Args) > 2 {
		name, games = os.Args[2], os.Args[3:]
	} else if name == "" {
		name = "go"
	}
	for {
		err := play()
		log.Print(address, ": ", err)
		if websocket.IsCloseError(err, final...) {
			os.Exit(1)
		}
		time.Sleep(wait + time.Duration(chance.Int63n(int64(wait)))) // partly at random, so as not to come in a herd
		if wait *= 2; wait > longestWait {
			wait = longestWait
		}
	}
}

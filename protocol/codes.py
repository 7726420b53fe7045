"""Refusal codes and close codes, each with its cause and its cure for the author of a bot.

    refusal_text(RefusalCode.WRONG_PLY).cause
    CloseCode.REPLACED == 4005;  close_text(CloseCode.REPLACED).reconnect is False

The texts feed docs/reference/protocol.md; a test holds that every code has one.
"""

from enum import IntEnum, StrEnum

from msgspec import Struct


class RefusalCode(StrEnum):
    """Why a message was not carried out; the `code` of `refused`."""

    BAD_MESSAGE = "bad_message"
    UNKNOWN_TYPE = "unknown_type"
    ALREADY_WELCOME = "already_welcome"
    NOT_AUTHENTICATED = "not_authenticated"
    UNKNOWN_MATCH = "unknown_match"
    MATCH_OVER = "match_over"
    NOT_A_PLAYER = "not_a_player"
    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PLY = "wrong_ply"
    ALREADY_PLAYED = "already_played"
    UNREADABLE_MOVE = "unreadable_move"
    ILLEGAL_MOVE = "illegal_move"
    OUT_OF_TIME = "out_of_time"
    MATCH_FROZEN = "match_frozen"
    NO_DRAW_POSSIBLE = "no_draw_possible"
    DRAW_ALREADY_OFFERED = "draw_already_offered"
    NO_TAKE_BACK = "no_take_back"
    UNKNOWN_GAME = "unknown_game"
    BAD_OPTIONS = "bad_options"
    BAD_POSITION = "bad_position"
    BAD_TIME_CONTROL = "bad_time_control"
    UNKNOWN_BOT = "unknown_bot"
    BOT_NOT_AVAILABLE = "bot_not_available"
    UNKNOWN_CHALLENGE = "unknown_challenge"
    NOT_SEEKING = "not_seeking"
    NOT_WATCHING = "not_watching"
    LIMIT_REACHED = "limit_reached"
    SERVER_CLOSING = "server_closing"


class CloseCode(IntEnum):
    """Why the server closed a connection; the status code of the websocket close frame."""

    # 4000 to 4999 are free for applications (RFC 6455, section 7.4.2)
    BAD_HELLO = 4000
    BAD_TOKEN = 4001
    HELLO_TIMEOUT = 4002
    GARBAGE = 4003
    FLOOD = 4004
    REPLACED = 4005
    SLOW_READER = 4006
    SERVER_CLOSING = 4007
    TOO_MANY_CONNECTIONS = 4008
    BUSY = 4009
    UNSUPPORTED_PROTOCOL = 4010
    TOKEN_REVOKED = 4011
    REMOVED = 4012
    SERVER_ERROR = 4013
    OVERSIZE = 1009  # the standard's own number: the websocket library closes with it by itself


class RefusalText(Struct, frozen=True):
    """What a refusal means to the author of a bot."""

    cause: str
    cure: str


class CloseText(Struct, frozen=True):
    """What a close code means to the author of a bot; reconnect: whether trying again can help."""

    cause: str
    cure: str
    reconnect: bool


_REFUSALS = {
    RefusalCode.BAD_MESSAGE: RefusalText(
        "A field is missing, of the wrong type, or beyond its bounds; `message` names it.",
        "Compare with the field table of the message named in `about`.",
    ),
    RefusalCode.UNKNOWN_TYPE: RefusalText(
        "Bots cannot send messages of this `type`.", "Check the spelling. The server's messages cannot be sent to it."
    ),
    RefusalCode.ALREADY_WELCOME: RefusalText(
        "A second `hello` on one connection.", "Send `hello` once; open a new connection to change anything in it."
    ),
    RefusalCode.NOT_AUTHENTICATED: RefusalText(
        "The server does this only for bots with a token. Reserved: this version does not send it.",
        "Register the bot and send its token in `hello`.",
    ),
    RefusalCode.UNKNOWN_MATCH: RefusalText(
        "There is no match with this number.", "Take the number from `turn`, `match_started` or `welcome`."
    ),
    RefusalCode.MATCH_OVER: RefusalText(
        "The match has ended, perhaps while the message was on its way.",
        "Nothing to do: `match_ended` says how.",
    ),
    RefusalCode.NOT_A_PLAYER: RefusalText(
        "The bot has no seat in this match.", "Check the match number; matches of others can only be watched."
    ),
    RefusalCode.NOT_YOUR_TURN: RefusalText(
        "The opponent is to move.", "Answer turns only; do not move on `match_started` or `draw_offered`."
    ),
    RefusalCode.WRONG_PLY: RefusalText(
        "The move is for another ply than the present one; it came too late or too early.",
        "Copy `ply` from the turn that you answer. The server still waits for the move of the present turn.",
    ),
    RefusalCode.ALREADY_PLAYED: RefusalText(
        "The same move for the same ply was received before and counts.",
        "Nothing to do: this is the answer to a move sent twice, for instance around a reconnection.",
    ),
    RefusalCode.UNREADABLE_MOVE: RefusalText(
        "The text is not a move in the game's notation. It counts as an illegal move; the clock runs on.",
        "Send one of `legal_moves`, exactly as written.",
    ),
    RefusalCode.ILLEGAL_MOVE: RefusalText(
        "The rules do not allow the move here. The clock runs on; `illegal_left` says how many more are allowed.",
        "Send one of `legal_moves`. Send a pass only if it is listed.",
    ),
    RefusalCode.OUT_OF_TIME: RefusalText(
        "The move arrived after the time for it had ended.",
        "Plan to answer well before `move_limit_ms`; `match_ended` says by how much it was late.",
    ),
    RefusalCode.MATCH_FROZEN: RefusalText(
        "An error of the server stopped this match; no clock runs.",
        "Nothing to do: an operator continues or repeats it, and neither player loses.",
    ),
    RefusalCode.NO_DRAW_POSSIBLE: RefusalText("The game has no draws.", "Do not offer draws in this game."),
    RefusalCode.DRAW_ALREADY_OFFERED: RefusalText(
        "Your draw offer is still open.", "Wait for the opponent's move before offering again."
    ),
    RefusalCode.NO_TAKE_BACK: RefusalText(
        "The match is rated, there is no move to take back, or you agreed but were not asked.",
        "Ask in matches that are not rated, once you have moved; agree only to a `take_back_asked`.",
    ),
    RefusalCode.UNKNOWN_GAME: RefusalText(
        "The server does not host a game of this name.", "Take a name from `games` in `welcome`."
    ),
    RefusalCode.BAD_OPTIONS: RefusalText(
        "An option is unknown to the game or out of its range; `message` names it.", "See the options of the game."
    ),
    RefusalCode.BAD_POSITION: RefusalText(
        "The position of a challenge cannot be read, is not possible, or ends the game; `message` says which.",
        "Write it in the notation of the game, with the side to move.",
    ),
    RefusalCode.BAD_TIME_CONTROL: RefusalText(
        "The time control cannot be read, or the server does not offer it.",
        "Write 60+0.5 (seconds plus increment), 40/60 (moves per period), 2/move or none.",
    ),
    RefusalCode.UNKNOWN_BOT: RefusalText(
        "There is no bot of this name, connected or not.", "Check the spelling of `opponent`."
    ),
    RefusalCode.BOT_NOT_AVAILABLE: RefusalText(
        "The bot is not connected, does not play this game, plays as many matches as it may, or is yourself.",
        "Try again later; `message` says which.",
    ),
    RefusalCode.UNKNOWN_CHALLENGE: RefusalText(
        "There is no open challenge of this number for this bot; it may have ended.", "`challenge_ended` says how."
    ),
    RefusalCode.NOT_SEEKING: RefusalText("The bot has no seek for this game.", "Nothing to do."),
    RefusalCode.NOT_WATCHING: RefusalText("The connection does not watch this match.", "Nothing to do."),
    RefusalCode.LIMIT_REACHED: RefusalText(
        "A limit is reached: the server's, or your own `max_matches`; `message` names it.",
        "End something first; see `limits` in `welcome`.",
    ),
    RefusalCode.SERVER_CLOSING: RefusalText(
        "The server is about to close and starts nothing new.", "Finish running matches; reconnect when it is back."
    ),
}

_CLOSES = {
    CloseCode.BAD_HELLO: CloseText(
        "The first message was not a valid `hello`; the reason of the close names the field.",
        "Send `hello` first, and correct the field that the reason names.",
        reconnect=False,
    ),
    CloseCode.BAD_TOKEN: CloseText(
        "The token does not belong to this name, or the server requires a token and none was sent.",
        "Register the bot, or copy its token again; a lost token can only be replaced.",
        reconnect=False,
    ),
    CloseCode.HELLO_TIMEOUT: CloseText(
        "No complete `hello` arrived in time.", "Send `hello` at once after the handshake.", reconnect=True
    ),
    CloseCode.GARBAGE: CloseText(
        "A frame was not a message in the encoding of this connection, or too many messages were bad.",
        "Send text frames with JSON on tabiya.v1.json, binary frames with MessagePack on tabiya.v1.msgpack.",
        reconnect=False,
    ),
    CloseCode.FLOOD: CloseText(
        "More messages a second than `limits` in `welcome` allows.",
        "Answer each turn once; do not repeat a move that is not yet answered.",
        reconnect=False,
    ),
    CloseCode.REPLACED: CloseText(
        "A newer connection of the same bot has taken over.",
        "Run one process per bot, or register a second bot. Reconnecting would disconnect the other one.",
        reconnect=False,
    ),
    CloseCode.SLOW_READER: CloseText(
        "The bot read nothing for too long. Often the connection is cut without a close frame (1006).",
        "Read while thinking, or watch fewer matches; a bot that only plays never gets this much.",
        reconnect=True,
    ),
    CloseCode.SERVER_CLOSING: CloseText(
        "The server shuts down or restarts. Matches are saved.",
        "Reconnect with back-off; turns come again.",
        reconnect=True,
    ),
    CloseCode.TOO_MANY_CONNECTIONS: CloseText(
        "The server's limit of connections, from this address or in all, is reached.",
        "Close connections that are not needed; wait longer before each attempt.",
        reconnect=True,
    ),
    CloseCode.BUSY: CloseText(
        "Too many bots are connecting at once; a `busy` with `retry_ms` came before.",
        "Wait `retry_ms` plus a random time of up to `retry_ms`.",
        reconnect=True,
    ),
    CloseCode.UNSUPPORTED_PROTOCOL: CloseText(
        "The server does not speak the version of the protocol asked for in `hello`.",
        "Use a client made for this server; the server offers one for download.",
        reconnect=False,
    ),
    CloseCode.TOKEN_REVOKED: CloseText(
        "The token was revoked or replaced by a new one.", "Use the new token.", reconnect=False
    ),
    CloseCode.REMOVED: CloseText(
        "An operator removed the bot. Reserved: this version uses 4011 for that.",
        "Ask the operator.",
        reconnect=False,
    ),
    CloseCode.SERVER_ERROR: CloseText(
        "An error of the server; its log names the session.",
        "Reconnect with back-off; tell the operator.",
        reconnect=True,
    ),
    CloseCode.OVERSIZE: CloseText(
        "A frame was larger than `frame_bytes`.",
        "Send less; an ordinary move is under a hundred bytes.",
        reconnect=False,
    ),
}


def refusal_text(code: RefusalCode) -> RefusalText:
    """Cause and cure of a refusal."""
    return _REFUSALS[code]


def close_text(code: CloseCode) -> CloseText:
    """Cause, cure and whether to reconnect, of one of our close codes."""
    return _CLOSES[code]


def should_reconnect(code: int) -> bool:
    """Whether a client should connect again after this close code; true for every code that is not ours.

    code: the status of the websocket close frame, 1006 when the connection broke without one.
    """
    try:
        return close_text(CloseCode(code)).reconnect
    except ValueError:  # such as 1006: the line broke, which is no reason to stay away
        return True

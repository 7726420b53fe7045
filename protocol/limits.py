"""The named limits of the wire, with their defaults; the server's configuration is built from them.

    WireLimits()                                  # the defaults
    WireLimits(frame_bytes=4096, matches_per_bot=1)

Every field bounds what one peer can cost the others. The server tells a bot the limits that concern it in
`welcome`. The descriptions feed docs/reference/protocol.md.
"""

from typing import Annotated

from msgspec import Meta, Struct

from tabiya.protocol.messages.fields import doc
from tabiya.protocol.messages.parts import ConnectionLimits

Amount = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]


class WireLimits(Struct, frozen=True, kw_only=True):
    """Limits of the wire as numbers; times in the unit that the name says."""

    frame_bytes: Annotated[Amount, doc("Largest frame that the server reads. A larger one closes with 1009.")] = 16_384
    server_frame_bytes: Annotated[
        Amount, doc("Largest frame that the server sends; set your client's limit to it.")
    ] = 1_048_576
    messages_per_second: Annotated[
        Amount,
        doc(
            "Messages per second from one connection in the long run, with pings and pongs, without one "
            "answer to each turn, end of a match and challenge by others. More closes with `flood`."
        ),
    ] = 200
    message_burst: Annotated[Amount, doc("Messages at once after a quiet time.")] = 400
    bad_messages: Annotated[
        Amount,
        doc("Messages refused as bad_message or unknown_type before the connection closes with `garbage`."),
    ] = 20
    hello_timeout_s: Annotated[Seconds, doc("Time from the handshake to a complete `hello`.")] = 10.0
    handshake_timeout_s: Annotated[Seconds, doc("Time from the TCP connection to the end of the HTTP handshake.")] = (
        10.0
    )
    connections: Annotated[Amount, doc("Connections to the server in total.")] = 4_096
    connections_per_address: Annotated[Amount, doc("Connections from one address; loopback is exempt.")] = 128
    connections_per_second: Annotated[
        Amount,
        doc(
            "New connections per second from one address in the long run, before they get `busy`; up to ten "
            "seconds' worth at once. Loopback is exempt."
        ),
    ] = 20
    guest_names_per_minute: Annotated[
        Amount,
        doc(
            "New names per minute that one address may use without a token or an invite code, before they "
            "get `busy`; up to ten minutes' worth at once. Loopback is exempt."
        ),
    ] = 30
    hellos_in_progress: Annotated[
        Amount, doc("Connections between handshake and welcome at one time; others get `busy`.")
    ] = 256
    matches_per_bot: Annotated[Amount, doc("Matches that a bot may play at once.")] = 64
    watches_per_connection: Annotated[Amount, doc("Matches that a connection may watch at once.")] = 16
    spectators_per_match: Annotated[Amount, doc("Spectators of one match, with those on pages.")] = 256
    seeks_per_bot: Annotated[Amount, doc("Open seeks and challenges of a bot together.")] = 16
    challenges_to_bot: Annotated[
        Amount,
        doc(
            "Challenges that wait for one bot's answer, with withdrawn ones until it answers or they expire; "
            "further challengers get `bot_not_available`."
        ),
    ] = 128
    challenge_s: Annotated[Seconds, doc("Time after which an unanswered challenge expires.")] = 60.0
    send_buffer_bytes: Annotated[
        Amount, doc("Bytes that wait for a client that does not read, before `slow_reader`.")
    ] = 4_194_304
    send_timeout_s: Annotated[
        Seconds, doc("Time in which a client reads none of the waiting bytes, before `slow_reader`.")
    ] = 30.0
    vanished_s: Annotated[
        Seconds,
        doc(
            "A client whose machine confirms no bytes for this long is gone (cable out, lid closed). A "
            "client that blocks while it thinks is not."
        ),
    ] = 60.0
    ping_interval_s: Annotated[
        Seconds, doc("Time between pings, which measure the round trip and disconnect nobody.")
    ] = 5.0
    handshakes_in_progress: Annotated[
        Amount, doc("TCP connections to the bots' port before the end of the handshake; more are closed at once.")
    ] = 512
    pages_connections: Annotated[Amount, doc("Connections to the pages and the API in total; more get 503.")] = 1_024
    pages_connections_per_address: Annotated[
        Amount, doc("Connections to the pages and the API from one address; loopback is exempt.")
    ] = 128
    pages_idle_s: Annotated[
        Seconds,
        doc("Time without a complete request, or without reading the answer, before such a connection is closed."),
    ] = 30.0
    pages_body_s: Annotated[Seconds, doc("Time from the head of a request to the end of its body, before 408.")] = 10.0
    pages_requests_per_second: Annotated[
        Amount, doc("Requests per second from one address in the long run, before 429; loopback is exempt.")
    ] = 50
    busy_retry_ms: Annotated[Amount, doc("The `retry_ms` of a `busy` under normal load.")] = 2_000

    def for_bot(self) -> ConnectionLimits:
        """The limits of one bot, for `welcome`."""
        return ConnectionLimits(
            frame_bytes=self.frame_bytes,
            messages_per_second=self.messages_per_second,
            message_burst=self.message_burst,
            matches=self.matches_per_bot,
            watches=self.watches_per_connection,
            seeks=self.seeks_per_bot,
        )


DEFAULT_LIMITS = WireLimits()

"""What can end a bot's connection for good. Every message is one sentence for the person who runs the bot."""


class ClientError(Exception):
    """The bot cannot continue; str(error) says why and what to do."""


class AddressError(ClientError):
    """A text that is not the address of a server."""


class Unreachable(ClientError):
    """No game server answered at the address before the client gave up."""


class Rejected(ClientError):
    """The server closed the connection, and reconnecting cannot help. code: of the close frame (protocol/codes.py)."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code

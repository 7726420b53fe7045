"""The rules of a match, without input or output: a function from an event to the next match and effects.

    match, effects = advance(match, event)

| file              | what is in it                                                               |
| ----------------- | --------------------------------------------------------------------------- |
| `events.py`       | everything that can happen to a match                                       |
| `effects.py`      | everything a match can ask for                                              |
| `state.py`        | what a match is                                                             |
| `match.py`        | `advance`: which function answers which event, and what waits during a save |
| `handlers/`       | those functions: a move arrives, a turn begins, a match ends, ...           |
| `verification.py` | whether all that is stored of a match follows from its moves                |
| `adjudication.py` | the server ends a match by scores or length, if the organiser wants it      |
| `clock.py`        | the arithmetic of the time controls, and how much network delay is forgiven |
| `policy.py`       | the numbers an operator may set                                             |
| `restore.py`      | a match from what is stored                                                 |
| `messages.py`     | the messages that tell bots and spectators about a match                    |

No clock, socket, event loop, randomness or database: time is a number in the event.
"""

"""The rules of a match, without input or output: a function from an event to the next match and effects.

    match, effects = advance(match, event)

| file              | what is in it                                                               |
| ----------------- | --------------------------------------------------------------------------- |
| `events.py`       | everything that can happen to a match                                       |
| `effects.py`      | everything a match can ask for                                              |
| `state.py`        | what a match is                                                             |
| `match.py`        | `advance`: which function answers which event, and what waits during a save |
| `moves.py`        | an arriving move: its checks in their order                                 |
| `persistence.py`  | what follows a save, good or failed                                         |
| `turns.py`        | a turn begins, its clock and its alarm; the process did not run for a while |
| `rejections.py`   | why a message changes nothing, in words                                     |
| `draw_offers.py`  | draw offers                                                                 |
| `presence.py`     | players come and go                                                         |
| `endings.py`      | every way to end, by a move or without one                                  |
| `verification.py` | whether all that is stored of a match follows from its moves                |
| `time_forfeit.py` | the account of a turn in which time ran out, as figures and in words        |
| `adjudication.py` | the server ends a match by scores or length, if the organiser wants it      |
| `clock.py`        | the arithmetic of the time controls, and how much network delay is forgiven |
| `policy.py`       | the numbers an operator may set                                             |
| `restore.py`      | a match from what is stored                                                 |
| `messages.py`     | the messages that tell bots and spectators about a match                    |

No clock, socket, event loop, randomness or database: time is a number in the event.
"""

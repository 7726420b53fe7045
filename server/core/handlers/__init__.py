"""Event handlers of a match: one function for each event of `server/core/events.py`.

| file              | what is in it                                                               |
| ----------------- | --------------------------------------------------------------------------- |
| `moves.py`        | an arriving move: its checks in their order                                 |
| `persistence.py`  | what follows a save, good or failed                                         |
| `turns.py`        | a turn begins, its clock and its alarm; the process did not run for a while |
| `draw_offers.py`  | draw offers                                                                 |
| `presence.py`     | players come and go                                                         |
| `endings.py`      | every way to end, by a move or without one                                  |
| `time_forfeit.py` | the account of a turn in which time ran out, as figures and in words        |
| `rejections.py`   | why a message changes nothing, in words                                     |
"""

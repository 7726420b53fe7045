"""`tabiya check`: a bot is driven through the protocol, scenario by scenario, and graded.

    report = await check(launcher, door)        # run.py: all scenarios in order
    print(text_of(report)); report.ready        # report.py, grade.py

The checker is a server that it plays itself: `wire.py` listens on loopback, `contact.py` is one connection of the bot
with everything asked and answered on it, `trial.py` starts the bot and seats it, `scenarios/` has what is tried. To add
a scenario: one coroutine of a `Trial` there, one line in its list, and a bot that breaks just this in
tests/tabiya/check/broken_bots.py.
"""

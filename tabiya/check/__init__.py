"""`tabiya check`: a bot is driven through the protocol, scenario by scenario, and graded.

    report = await check(launcher, server)
    print(report_text(report)); report.ready

run              all scenarios in order
scenarios/       the scenarios; scenario: what one is, and its result
harness          starts the bot and seats it
bot_connection   one connection of the bot: turns sent and answers received
scripted_match   one match against the checker
scripted_server  listens on loopback
launcher         starts and ends the bot's program; command: which program that is
grade, report    points; the report as text and as values
outcomes         how a scenario fails

To add a scenario: a coroutine of a `Harness` in scenarios/, an entry in its list, and a bot that breaks just this in
tests/tabiya/check/broken_bots.py.
"""

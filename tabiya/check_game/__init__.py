"""Checks that every game must pass: `tabiya check-game NAME` runs them on a package's game, our tests on ours."""

"""What holds for every game: `tabiya check-game NAME` asks it of one that a package brings, the tests of ours."""

"""The claims of the texts, judged: a function for each item of items.toml, by what its claim rests on."""

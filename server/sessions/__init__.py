"""Connected bots and running matches: a `BotSession` for each bot, an `ActiveMatch` for each match."""

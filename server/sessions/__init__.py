"""Who is connected, and which matches are under way: a `BotSession` for each bot, an `ActiveMatch` for each match."""

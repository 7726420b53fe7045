"""Who a bot is: names, tokens, roles, registration."""

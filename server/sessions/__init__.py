"""Who is connected, and what each message of a bot does."""

"""The checks after a campaign: of the database, of the recorded messages, and of the bots' logs."""

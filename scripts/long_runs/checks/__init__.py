"""What is asked after a campaign: of the database, of what was said on the wire, and of what the bots have logged."""

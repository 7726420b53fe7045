"""What each route of the API does."""

"""The host: matches, clocks, lobby, tournaments, ratings, pages. Imports games, protocol and storage."""

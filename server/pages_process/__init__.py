"""Pages and API in a process of their own: they read the database, and hear from the server what goes on."""

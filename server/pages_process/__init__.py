"""Pages and API in a separate process, which reads the database and gets news from the server."""

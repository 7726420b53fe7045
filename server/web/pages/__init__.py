"""The pages for people: server-rendered HTML, with their templates and static files."""

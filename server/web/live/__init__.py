"""Server-sent events that update pages: streams of matches, and of the pages themselves."""

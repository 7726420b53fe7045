"""Server-sent events by which pages stay fresh: streams of matches, and of the pages themselves."""

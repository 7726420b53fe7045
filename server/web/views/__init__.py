"""What the web shows, made from the store alone and free of the web: shapes out, no requests in."""

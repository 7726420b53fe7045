"""The pictures in the README and the documents: a class's games on a real server, photographed in Chromium."""

"""How a server behaves with a large database: one is made of copies of real games, and its pages are measured."""

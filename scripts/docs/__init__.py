"""The generators of documents."""

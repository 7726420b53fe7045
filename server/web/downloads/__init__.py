"""Downloads that a server offers: its client as a wheel, and the documents."""

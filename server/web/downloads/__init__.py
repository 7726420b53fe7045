"""What a server gives to download: its own client as a wheel, and the documents."""

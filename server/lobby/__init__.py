"""Who plays whom outside tournaments."""

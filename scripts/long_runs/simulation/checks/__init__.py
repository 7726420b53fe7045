"""What must hold during a run and after it: bots hear only what is saved, clocks are honest, no game is lost."""

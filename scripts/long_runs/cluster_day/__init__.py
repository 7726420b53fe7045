"""A class day on a cluster whose parts are killed: its processes, its bots, what is done to it, and the judgement."""

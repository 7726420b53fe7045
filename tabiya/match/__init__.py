"""`tabiya match`: two players against each other on a private server, in pairs of games from one opening.

plan                what is to be played
run                 plays: seats the games one after the other and waits for their results
participants        the two players on the server: any bot by our client, its thinking done by worker processes
engine_participant  a UCI or NBoard engine, spoken to directly
resume              finds the games of a run again after it was killed
score               counts results
report              the result in tables and sentences
game_files          the games in files
"""

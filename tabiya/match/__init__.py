"""`tabiya match`: two players against each other on a private server, in pairs of games from one opening.

plan                what is to be played
run                 plays at one table: seats the games one after the other and waits for their results
run_on_workers      plays on workers: gives out pairs, keeps and counts what comes back
pairs               plays single pairs for a worker, at a table that stays open for the next
executors/          where pairs are played: here, in processes, on a Dask cluster
table               the private server with both players
local_runner        runs its games: moves are sent at once and saved in groups
participants        the two players on the server: any bot by our client, its thinking done by worker processes
engine_participant  a program that speaks a protocol of engines (UCI, ...), spoken to directly
openings            one for each pair
resume              finds the games of a run again after it was killed
tally, score        count results
report              the result in tables and sentences
game_files          the games in files
training_data   positions to learn from, in a file
growing_file    a file that one run after the other writes on
"""

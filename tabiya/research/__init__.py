"""For frameworks of reinforcement learning: positions and moves as arrays and numbers, for every game alike.

encoding.py the arrays · environment.py an environment of PettingZoo (extra `pettingzoo`) · batch_env.py many games at
once · self_play.py a policy against itself · policy_bot.py a policy as a bot · playouts.py random games by the compiled
rules · openspiel.py every game as one of OpenSpiel (extra `openspiel`) · dataset.py games as Parquet (extra `parquet`)
"""

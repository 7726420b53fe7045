"""For frameworks of reinforcement learning: positions and moves as arrays and numbers, for every game alike.

encoding.py the arrays · environment.py an environment of PettingZoo (extra `pettingzoo`) · policy_bot.py a policy as a
bot · playouts.py random games by the compiled rules
"""

"""Processor time of random steps in pgx's games, for benchmarks/environments.py; run by a Python that has pgx.

python benchmarks/pgx_steps.py chess 1024 2       # for each line that comes in, steps a second over at least 2 s
"""

from __future__ import annotations

import sys
import time

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

STEPS = 16  # within one call of compiled code


def main() -> None:
    """The command. Says `ready` when all is compiled."""
    environment, games, seconds = pgx.make(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    step = jax.vmap(auto_reset(environment.step, environment.init))

    def play(state: pgx.State, key: jax.Array) -> tuple[pgx.State, jax.Array]:
        drawn = jax.random.categorical(key, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
        state = step(state, drawn, jax.random.split(key, games))
        return state, state.rewards.sum()

    run = jax.jit(lambda state, key: jax.lax.scan(play, state, jax.random.split(key, STEPS))[0])
    key = jax.random.key(1)
    state = jax.block_until_ready(run(jax.jit(jax.vmap(environment.init))(jax.random.split(key, games)), key))
    print("ready", flush=True)
    for _ in sys.stdin:
        steps, begun = 0, time.process_time()
        while (taken := time.process_time() - begun) < seconds:
            key, used = jax.random.split(key)
            state = jax.block_until_ready(run(state, used))
            steps += STEPS * games
        print(steps / taken, flush=True)


if __name__ == "__main__":
    main()

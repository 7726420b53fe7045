"""Makes the weights of reversi's evaluation.

    python -m scripts.weights.reversi_weights play --games 20000 --seed 1 --to games.npz     the engine plays itself
    python -m scripts.weights.reversi_weights fit games.npz ... --to bots/evaluators/reversi/weights.npz

docs/explanation/reversi.md tells how they are fitted, and what they are worth.
"""

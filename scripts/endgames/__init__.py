"""Who wins with three and four men: makes the file that the engine of chess reads, and tries it.

    python -m scripts.endgames build                # writes bots/evaluators/chess/endgames.bin
    python -m scripts.endgames check                # every position against its moves and against the file
    python -m scripts.endgames play --games 50      # the engine wins what is won, against the best defence

Each finds all values first: two minutes on one core, 0.7 GB. docs/decisions/047-endings.md tells why the file is so.
"""

"""Where a game was lost: every move judged by the playing engine."""

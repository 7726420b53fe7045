"""The last squares of reversi, exactly."""

"""What every handler uses: requests read and answered, who may send them, and the running server behind them."""

"""Connect Four for Tabiya. Loads no rules: they are loaded when somebody plays."""

from tabiya.game import registered

GAME = registered("Connect Four", "tabiya_connect4.rules", "ConnectFour")

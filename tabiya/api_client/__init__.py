"""The client of a running server's JSON API: its address and tokens, and the requests.

settings      the server's address and the tokens to use: from flags, environment, file
config_file   the file of that configuration
token_files   the tokens kept on this machine
api           the requests
"""

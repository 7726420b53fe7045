"""The `tabiya` command. Each file is one command or one family; what it needs is imported when it runs."""

"""Sandboxes for other people's programs: what a program can see and use.

    sandbox = choose("auto", Limits(), note)     # says what stands; refuses if nothing can
    pool = WorkerPool("bot.py:MyBot", sandbox=sandbox, ...)

One interface, several kinds: bubblewrap (namespaces), podman (a container), Landlock, none by an explicit word. The
program's only way out are the pipes that it is started with.
"""

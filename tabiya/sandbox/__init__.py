"""Walls around a program that is not ours: what it sees, what it may use, and what holds it.

    sandbox = choose("auto", Limits(), note)     # says what stands; refuses if nothing can
    pool = WorkerPool("bot.py:MyBot", sandbox=sandbox, ...)

One interface, several strengths: bubblewrap (namespaces), podman (a container), Landlock, none by an explicit word. The
program's only way out are the pipes that it is started with.
"""

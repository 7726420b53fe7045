"""Programs that read or write what is not theirs.

`{secret}`: a file of the host with the word SECRET.  `{root}`: the folder in which it lies.  `{own}`: the program's
folder.  `{neighbour}`: the number of a process that is somebody else's.
"""

from __future__ import annotations

from tabiya.sandbox.sandbox import SandboxKind
from tests.tabiya.sandbox.hostile.program import Alone, HostileProgram

TO_ROOT, HELD, NOT_TRIED = Alone.TO_ROOT, Alone.HELD, Alone.NOT_TRIED
BY_NAME = {SandboxKind.LANDLOCK: "open: that a named file exists, its size and date"}
IN_CHECKOUT = {SandboxKind.LANDLOCK: "open: names of files in the checkout"}

READING = (
    HostileProgram("reads /etc/passwd", "read('/etc/passwd')"),
    HostileProgram("reads /etc/shadow", "read('/etc/shadow')", TO_ROOT),
    HostileProgram("reads the keys of its user", "read(os.path.expanduser('~{user}') + '/.ssh/id_rsa')", NOT_TRIED),
    HostileProgram("reads another submission", "read({root!r} + '/other/bot.py')"),
    HostileProgram("reads class.json with the operator's token", "read({root!r} + '/class.json')"),
    HostileProgram("reads the server's database", "read({root!r} + '/tabiya.db')"),
    HostileProgram("reads the sources' history", "read({checkout!r} + '/pyproject.toml')"),
    HostileProgram("reads by a way around (../..)", "read({own!r} + '/../SECRET-FILE')"),
    HostileProgram("reads through a link that it makes", "(os.symlink({secret!r}, TMP + '/l'), read(TMP + '/l'))[1]"),
    HostileProgram("reads through a link in its folder", "read({own!r} + '/link')"),
    HostileProgram("makes a second name for a file", "(os.link({secret!r}, TMP + '/h'), read(TMP + '/h'))[1]"),
    HostileProgram("reads through /proc/1/root", "read('/proc/1/root' + {secret!r})", NOT_TRIED),
    HostileProgram("reads through /proc/self/root", "read('/proc/self/root' + {secret!r})"),
    HostileProgram("reads through its parent's root", "read('/proc/%d/root' % os.getppid() + {secret!r})"),
    HostileProgram("reads through another's folder", "read('/proc/{neighbour}/cwd/SECRET-FILE')"),
    HostileProgram("lists the folder of all submissions", "'SECRET-FILE' in os.listdir({root!r}) or None"),
    HostileProgram("lists the files beside our package", "'pyproject.toml' in os.listdir({checkout!r}) or None", open_with=IN_CHECKOUT),
    HostileProgram("asks how large a file is", "os.stat({secret!r}).st_size", open_with=BY_NAME),
    HostileProgram("watches what is done with another's file", "watch({secret!r})"),
    HostileProgram("reads another's environment", "read('/proc/{neighbour}/environ')"),
    HostileProgram("reads another's memory by /proc", "opens('/proc/{neighbour}/mem', os.O_RDONLY)", TO_ROOT),
    HostileProgram("reads another's command line", "read('/proc/{neighbour}/cmdline')"),
    HostileProgram("finds out which program another is", "os.readlink('/proc/{neighbour}/exe')"),
    HostileProgram("finds secrets in its own environment", "os.environ.get('TABIYA_TOKEN')"),
    HostileProgram("opens a file by its handle", "reaches('open_by_handle_at', -1, 0, 0)", TO_ROOT),
    HostileProgram("asks for the handle of a file", "reaches('name_to_handle_at', -1, 0, 0, 0, 0)"),
    HostileProgram("reads the kernel's log", "reaches('syslog', 3, 0, 0)", TO_ROOT),
    HostileProgram("reads the machine's memory", "opens('/dev/mem', os.O_RDONLY)", NOT_TRIED),
    HostileProgram("reads the kernel's memory", "opens('/proc/kcore', os.O_RDONLY)", NOT_TRIED),
    HostileProgram("reads a disk", "opens({disk!r}, os.O_RDONLY)", NOT_TRIED),
    HostileProgram("reads the kernel's keys", "open('/proc/keys').read() or None", NOT_TRIED),
)  # fmt: skip

WRITING = (
    HostileProgram("writes to its own source", "write({own!r} + '/bot.py')"),
    HostileProgram("adds a file to its folder", "write({own!r} + '/more', os.O_WRONLY | os.O_CREAT)"),
    HostileProgram("changes the mode of its folder", "done(os.chmod({own!r}, 0o777))"),
    HostileProgram("changes the date of another's file", "done(os.utime({secret!r}, (0, 0)))"),
    HostileProgram("changes the mode of another's file", "done(os.chmod({secret!r}, 0o644))"),
    HostileProgram("gives another's file away", "done(os.chown({secret!r}, 1000, 1000))", TO_ROOT),
    HostileProgram("marks another's file", "done(os.setxattr({secret!r}, 'user.x', b'x'))", NOT_TRIED),
    HostileProgram("empties another's file", "done(os.truncate({secret!r}, 0))"),
    HostileProgram("empties it while it opens it to read", "opens({secret!r}, os.O_RDONLY | os.O_TRUNC)"),
    HostileProgram("removes another's file", "done(os.unlink({secret!r}))"),
    HostileProgram("renames another's file", "done(os.rename({secret!r}, TMP + '/mine'))"),
    HostileProgram("writes into our package", "opens({package!r})"),
    HostileProgram("empties a file of our package as it reads it", "opens({package!r}, os.O_RDONLY | os.O_TRUNC)", NOT_TRIED),
    HostileProgram("writes into the interpreter's library", "opens(os.__file__)", TO_ROOT),
    HostileProgram("writes over the program that runs it", "opens('/proc/self/exe')", HELD),
    HostileProgram("writes into the cache of compiled kernels", "opens({kernels!r}, os.O_WRONLY | os.O_APPEND)"),
    HostileProgram("keeps the lock of that cache", "done(fcntl.flock(os.open({kernels!r}, os.O_RDONLY), fcntl.LOCK_SH))"),
    HostileProgram("holds up who opens a system file", "done(fcntl.fcntl(os.open({kernels!r}, os.O_RDONLY), 1024, 0))"),
    HostileProgram("writes to /etc", "opens('/etc/ld.so.cache')", TO_ROOT),
    HostileProgram("has its library loaded into others", "opens('/etc/ld.so.preload', os.O_WRONLY | os.O_CREAT)", NOT_TRIED),
    HostileProgram("writes to /usr", "opens('/usr/bin/env')", TO_ROOT),
    HostileProgram("makes a file at the root", "opens('/x', os.O_WRONLY | os.O_CREAT)", NOT_TRIED),
    HostileProgram("makes a file in /dev", "opens('/dev/x', os.O_WRONLY | os.O_CREAT)", NOT_TRIED),
    HostileProgram("sets a switch of the kernel", "opens('/proc/sys/kernel/domainname')", TO_ROOT),
    HostileProgram("asks for a restart by /proc", "opens('/proc/sysrq-trigger')", NOT_TRIED),
    HostileProgram("writes to /sys", "opens('/sys/kernel/profiling')", NOT_TRIED),
    HostileProgram("leaves its control group", "opens({group!r})", TO_ROOT),
    HostileProgram("writes to a disk", "opens({disk!r})", NOT_TRIED),
    HostileProgram("makes a device", "done(os.mknod(TMP + '/d', 0o600 | 0o20000, os.makedev(1, 5)))", TO_ROOT),
    HostileProgram("writes more into a file than it may", "[open(TMP + '/f', 'ab').write(b'x' * 500_000) for _ in range(9)]"),
    HostileProgram("leaves a core dump", "done(resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20)))", NOT_TRIED),
)  # fmt: skip

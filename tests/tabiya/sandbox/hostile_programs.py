"""Programs that mean harm: a few lines of Python each, which print OUT when they have got what they want.

`{secret}` stands for a file of the host with the word SECRET in it, `{port}` for a port of this machine on which
somebody listens, `{own}` for the program's own folder, `{pid}` for the process that has started it, `{socket}` for a
Unix socket of the host, `{abstract}` for an abstract one.
"""

from __future__ import annotations

TRIES = """
def tries(what):
    try:
        if what() is not None:
            print("OUT", flush=True)
    except BaseException as error:
        print(type(error).__name__, flush=True)
import ctypes, os, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    return True if libc.syscall(*words) >= 0 else None
def read(path):
    with open(path, "rb") as file:
        return file.read(100) or None
def write(path, flags=os.O_WRONLY):
    place = os.open(path, flags)
    os.write(place, b"0")
    return True
def connect(family, address, kind=socket.SOCK_STREAM):
    one = socket.socket(family, kind)
    one.settimeout(1)
    one.connect(address)
    one.send(b"x")
    return True
"""

READING = {
    "reads /etc/passwd": "read('/etc/passwd')",
    "reads /etc/shadow": "read('/etc/shadow')",
    "reads another submission, class.json, a database": "read({secret!r})",
    "reads it by a way around": "read({own!r} + '/../' + os.path.relpath({secret!r}, {own!r} + '/..'))",
    "reads it through /proc/1/root": "read('/proc/1/root' + {secret!r})",
    "reads it through its own /proc": "read('/proc/self/root' + {secret!r})",
    "reads it through its parent": "read('/proc/%d/root' % os.getppid() + {secret!r})",
    "reads it through a link that it makes": "(os.symlink({secret!r}, os.environ['TMPDIR'] + '/l'), read(os.environ['TMPDIR'] + '/l'))[1]",
    "makes a second name for it": "(os.link({secret!r}, os.environ['TMPDIR'] + '/h'), read(os.environ['TMPDIR'] + '/h'))[1]",
    "lists the home folder": "os.listdir({home!r}) if 'SECRET-FILE' in os.listdir({home!r}) else None",
    "lists the folder above its own": "os.listdir({own!r} + '/..') if len(os.listdir({own!r} + '/..')) > 1 else None",
    "reads the environment of who has started it": "read('/proc/{pid}/environ')",
    "reads the environment of process 1": "read('/proc/1/environ')",
    "reads the memory of who has started it": "read('/proc/{pid}/mem')",
    "finds secrets in its own environment": "os.environ.get('TABIYA_TOKEN')",
    "opens a file by its handle": "call(304, -100, 0, os.O_RDONLY)",
    "reads the log of the kernel": "call(103, 3, ctypes.create_string_buffer(100), 100) if libc.klogctl(3, ctypes.create_string_buffer(100), 100) > 0 else None",
    "reads /dev/mem": "read('/dev/mem')",
    "reads a disk": "read('/dev/vda') or read('/dev/sda')",
    "reads the kernel's keys": "read('/proc/keys')",
    "lists other processes": "True if any(n.isdigit() and int(n) == {pid} for n in os.listdir('/proc')) else None",
}
NETWORK = {
    "connects to this machine": "connect(socket.AF_INET, ('127.0.0.1', {port}))",
    "connects to this machine by IPv6": "connect(socket.AF_INET6, ('::ffff:127.0.0.1', {port}))",
    "asks the address of cloud metadata": "connect(socket.AF_INET, ('169.254.169.254', 80))",
    "sends UDP": "connect(socket.AF_INET, ('127.0.0.1', {port}), socket.SOCK_DGRAM) and socket.gethostbyname('example.invalid')",
    "makes a raw socket": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "makes a packet socket": "socket.socket(17, socket.SOCK_RAW, 0)",
    "makes a netlink socket": "socket.socket(16, socket.SOCK_RAW, 0)",
    "makes a vsock": "socket.socket(40, socket.SOCK_STREAM)",
    "makes a socket of the kernel's crypto": "socket.socket(38, socket.SOCK_SEQPACKET)",
    "connects to a Unix socket of the host": "connect(socket.AF_UNIX, {socket!r})",
    "connects to an abstract socket of the host": "connect(socket.AF_UNIX, {abstract!r})",
    "connects to D-Bus": "connect(socket.AF_UNIX, '/run/dbus/system_bus_socket')",
    "uses another protocol over IP": "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)",
}
WRITING = {
    "writes to its own source": "write({own!r} + '/bot.py')",
    "adds a file to its own folder": "write({own!r} + '/more', os.O_WRONLY | os.O_CREAT)",
    "changes the mode of its own folder": "os.chmod({own!r}, 0o777) or True",
    "writes into our package": "write({package!r})",
    "writes into the interpreter": "write(os.__file__)",
    "writes to /etc": "write('/etc/x', os.O_WRONLY | os.O_CREAT)",
    "writes to /usr": "write('/usr/x', os.O_WRONLY | os.O_CREAT)",
    "makes a file at the root": "write('/x', os.O_WRONLY | os.O_CREAT)",
    "makes a file in /dev": "write('/dev/x', os.O_WRONLY | os.O_CREAT)",
    "sets a switch of the kernel": "write('/proc/sys/kernel/domainname')",
    "asks for a restart": "write('/proc/sysrq-trigger')",
    "writes to /sys": "write('/sys/power/state')",
    "leaves its control group": "write('/sys/fs/cgroup/memory/cgroup.procs')",
    "writes to a disk": "write('/dev/vda')",
    "fills a file without end": "[open(os.environ['TMPDIR'] + '/f', 'ab').write(b'x' * 1000000) for _ in range(9)]",
    "makes a device": "os.mknod(os.environ['TMPDIR'] + '/d', 0o600 | 0o20000, os.makedev(1, 1)) or True",
}
POWER = {
    "becomes root": "os.setuid(0) or (True if os.getuid() == 0 and read('/etc/shadow') else None)",
    "becomes another user": "os.setresuid(1000, 1000, 1000) or True",
    "runs a program that makes one root": "True if b'uid=0' in __import__('subprocess').run(['su', '-c', 'id'], capture_output=True, stdin=-3, timeout=5).stdout else None",
    "enters a new user namespace": "call(272, 0x10000000)",
    "clones into new namespaces": "call(56, 0x10000000 | 17, 0, 0, 0, 0)",
    "enters the namespace of process 1": "call(308, os.open('/proc/1/ns/mnt', os.O_RDONLY), 0)",
    "mounts": "True if libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0 else None",
    "unmounts": "True if libc.umount2(b'/proc', 2) == 0 else None",
    "changes its root": "os.chroot('/tmp') or True",
    "pivots its root": "call(155, b'/tmp', b'/tmp')",
    "traces another process": "True if libc.ptrace(16, {pid}, 0, 0) == 0 else None",
    "reads the memory of another process": "call(310, {pid}, 0, 0, 0, 0, 0)",
    "kills who has started it": "os.kill({pid}, signal.SIGTERM) or True",
    "stops who has started it": "os.kill({pid}, signal.SIGSTOP) or True",
    "loads a program into the kernel": "call(321, 0, ctypes.create_string_buffer(128), 128)",
    "counts the machine's events": "call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)",
    "takes page faults into its hands": "call(323, 0)",
    "makes a ring of system calls": "call(425, 8, ctypes.create_string_buffer(128))",
    "makes a key": "call(248, b'user', b'x', b'x', 1, -2)",
    "sets the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time()) or True",
    "sets the machine's name": "True if libc.sethostname(b'x', 1) == 0 else None",
    "restarts the machine": "call(169, 0, 0, 0, 0)",
    "types into a terminal": "__import__('fcntl').ioctl(0, 0x5412, b'x') or True",
    "changes its personality": "True if libc.personality(0x0040000) >= 0 else None",
    "takes a better priority": "os.setpriority(os.PRIO_PROCESS, 0, -10) or True",
    "takes another processor": "os.sched_setaffinity(0, {{0}}) or True",
    "takes real-time priority": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) or True",
    "raises its limits": "__import__('resource').setrlimit(__import__('resource').RLIMIT_NOFILE, (4096, 4096)) or True",
    "shares memory with others": "call(29, 0, 4096, 0o1666)",
    "opens a message queue": "call(68, 0, 0o1666)",
    "opens very many files": "[os.open('/dev/null', os.O_RDONLY) for _ in range(500)]",
    "takes a gigabyte": "len(bytearray(1 << 30)) or None",
    "runs as a program of another architecture": "call(0x40000000 + 39)",
}
PROGRAMS = READING | NETWORK | WRITING | POWER
BOMBS = {
    "forks without end": "while True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)",
    "starts threads without end": "import threading\nwhile True:\n    try: threading.Thread(target=time.sleep, args=(60,)).start()\n    except RuntimeError: time.sleep(0.01)",
    "leaves a grandchild that ignores signals": (
        "os.fork() == 0 and os.fork() == 0 and (os.setsid(), signal.signal(signal.SIGTERM, signal.SIG_IGN), time.sleep(60))"
    ),
    "takes memory in many children": "while True:\n    try: os.fork() or exec('x = bytearray(50 << 20); time.sleep(60)')\n    except BaseException: time.sleep(0.01)",
    "fills the scratch folder with files": "n = 0\nwhile True:\n    n += 1\n    try: open(os.environ['TMPDIR'] + f'/{n}', 'wb').write(b'x' * 100000)\n    except OSError: break\n    if n > 100: print('OUT', flush=True); break",
    "fills the shared memory": "n = 0\nwhile True:\n    n += 1\n    try: open(f'/dev/shm/{n}', 'wb').write(b'x' * 100000)\n    except OSError: break\n    if n > 100: print('OUT', flush=True); break",
    "works on a thread that ignores everything": "import threading\n[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start(); time.sleep(60)",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "prints without end": "while True: sys.stdout.write('x' * 1000)",
}
OPEN_WITH = {
    # where nothing is unshared, names and numbers of what cannot be used can still be seen
    "landlock": {
        "fills the scratch folder with files": "files are bounded one by one, not together",
    },
    "bubblewrap": {},
}

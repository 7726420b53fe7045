"""Programs that want power over other processes, the kernel or the machine.

`{neighbour}`: the number of a process that is somebody else's.  `{memory}`, `{queue}`: numbers of its shared memory and
of its message queue.
"""

from __future__ import annotations

from tests.tabiya.sandbox.hostile.program import Alone, HostileProgram

TO_ROOT, HELD, NOT_TRIED = Alone.TO_ROOT, Alone.HELD, Alone.NOT_TRIED

OTHER_PROCESSES = (
    HostileProgram("signals who has started it", "done(os.kill({parent}, 0))"),
    HostileProgram("kills another process", "done(os.kill({neighbour}, signal.SIGCONT))"),
    HostileProgram("kills every process (-1)", "done(os.kill(-1, signal.SIGKILL))", NOT_TRIED),
    HostileProgram("signals a thread of another", "reaches('tgkill', {neighbour}, {neighbour}, 0)"),
    HostileProgram("has the kernel signal another", "done(fcntl.fcntl(socket.socketpair()[0], fcntl.F_SETOWN, {neighbour}))"),
    HostileProgram("takes another's limits away", "resource.prlimit({neighbour}, resource.RLIMIT_NOFILE, (9, 9))"),
    HostileProgram("traces another", "reaches('ptrace', 16902, {neighbour}, 0, 0)", TO_ROOT),
    HostileProgram("reads another's memory", "reaches('process_vm_readv', {neighbour}, 0, 0, 0, 0, 9)", TO_ROOT),
    HostileProgram("takes a file out of another's hands", "reaches('pidfd_getfd', -1, 0, 0)"),
    HostileProgram("holds another by a descriptor", "reaches('pidfd_open', {neighbour}, 0)"),
    HostileProgram("compares itself with another", "reaches('kcmp', os.getpid(), os.getpid(), 0, 0, 0)"),
    HostileProgram("slows another down", "done(os.setpriority(os.PRIO_PROCESS, {neighbour}, 1))"),
    HostileProgram("moves another to one processor", "done(os.sched_setaffinity({neighbour}, [0]))"),
    HostileProgram("removes another's shared memory", "done(LIBC.shmctl({memory}, 0, 0))", NOT_TRIED),
    HostileProgram("looks at another's shared memory", "done(LIBC.shmctl({memory}, 2, ctypes.create_string_buffer(500)))"),
    HostileProgram("removes another's message queue", "done(LIBC.msgctl({queue}, 0, 0))", NOT_TRIED),
    HostileProgram("reads another's messages", "read_message({queue})"),
    HostileProgram("shares memory with others", "reaches('shmget', 0, 0, 0)"),
    HostileProgram("makes a message queue", "reaches('mq_open', 0, 0, 0, 0)"),
    HostileProgram("makes semaphores", "reaches('semget', 0, -1, 0)"),
)  # fmt: skip

POWER = (
    HostileProgram("becomes root", "done(os.setresuid(0, 0, 0))", TO_ROOT),
    HostileProgram("takes the group of root", "done(os.setresgid(0, 0, 0))", TO_ROOT),
    HostileProgram("becomes another user", "done(os.setresuid(1000, 1000, 1000))", TO_ROOT),
    HostileProgram("becomes root by a program with that right (su)", "run_as_root()", TO_ROOT),
    HostileProgram("has rights from before", "has_rights()", TO_ROOT),
    HostileProgram("enters a new user namespace", "reaches('unshare', 0x10000000 | 0x40000)", NOT_TRIED),
    HostileProgram("clones itself into new namespaces", "reaches('clone', 0x10000000 | 0x800, 0, 0, 0, 0)", NOT_TRIED),
    HostileProgram("enters the namespace of another", "reaches('setns', 0, 0)"),
    HostileProgram("mounts", "reaches('mount', -1, -1, -1, 0, 0)"),
    HostileProgram("mounts in the new way", "reaches('fsopen', -1, 99)", TO_ROOT),
    HostileProgram("unmounts", "reaches('umount2', -1, 0)"),
    HostileProgram("changes its root", "reaches('chroot', -1)"),
    HostileProgram("pivots its root", "reaches('pivot_root', -1, -1)", TO_ROOT),
    HostileProgram("loads a program into the kernel", "reaches('bpf', 0, 0, 0)", TO_ROOT),
    HostileProgram("loads a module into the kernel", "reaches('init_module', 0, 0, 0)", NOT_TRIED),
    HostileProgram("counts the machine's events", "reaches('perf_event_open', 0, 0, -1, -1, 0)", NOT_TRIED),
    HostileProgram("takes page faults into its hands", "reaches('userfaultfd', -1)", NOT_TRIED),
    HostileProgram("makes a ring of system calls (io_uring)", "reaches('io_uring_setup', 0, 0)", NOT_TRIED),
    HostileProgram("makes a key", "reaches('add_key', 0, 0, 0, 0, 0)", NOT_TRIED),
    HostileProgram("reads keys", "reaches('keyctl', 11, 0, 0, 0, 0)", NOT_TRIED),
    HostileProgram("watches all files", "reaches('fanotify_init', -1, 0)", TO_ROOT),
    HostileProgram("hides memory from the kernel", "reaches('memfd_secret', -1)", NOT_TRIED),
    HostileProgram("makes a filter of its own", "reaches('seccomp', 99, 0, 0)"),
    HostileProgram("restarts the machine", "reaches('reboot', 0, 0, 0, 0)", TO_ROOT),
    HostileProgram("starts another kernel", "reaches('kexec_load', 0, 99, 0, -1)", NOT_TRIED),
    HostileProgram("sets the clock", "reaches('settimeofday', -1, 0)"),
    HostileProgram("makes the clock run slower", "reaches('clock_adjtime', 0, -1)"),
    HostileProgram("sets the machine's name", "set_name(socket.gethostname())", TO_ROOT),
    HostileProgram("types into a terminal", "done(fcntl.ioctl(os.openpty()[1], 0x5412, b'x'))", NOT_TRIED),
    HostileProgram("changes its personality", "reaches('personality', 0xffffffff)"),
    HostileProgram("takes a better priority", "done(os.setpriority(os.PRIO_PROCESS, 0, -10))", TO_ROOT),
    HostileProgram("takes real-time priority", "done(os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))", NOT_TRIED),
    HostileProgram("takes the disk before others", "reaches('ioprio_set', 1, 0, -1)"),
    HostileProgram("takes another processor", "done(os.sched_setaffinity(0, [0]))"),
    HostileProgram("raises its limits", "done(resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999)))", TO_ROOT),
    HostileProgram("opens very many files", "[os.open('/dev/null', os.O_RDONLY) for _ in range(500)]"),
    HostileProgram("takes a gigabyte", "len(bytearray(1 << 30))", NOT_TRIED),
    HostileProgram("runs as a program of another architecture", "True if LIBC.syscall(0x40000000 + 39) >= 0 else None", NOT_TRIED),
)  # fmt: skip

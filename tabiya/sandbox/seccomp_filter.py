"""The system calls that a sandboxed program is refused.

By these it could leave, look at others, or ask the kernel for what no bot needs.

A list of what is refused, not of what is allowed: programs are in any language, and interpreters use very many calls.
Namespaces or Landlock are the sandbox; this closes the ways around them. Source: the manual pages of section 2.
"""

from __future__ import annotations

import errno
import functools
import os
import socket
import tempfile
from collections.abc import Callable
from typing import Any

REFUSED = (
    # other processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd", "pidfd_open"),
    # other views of the system
    *("mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "move_mount", "open_tree", "fsopen", "fspick"),
    *("fsconfig", "fsmount", "mount_setattr", "open_by_handle_at", "name_to_handle_at", "fanotify_init"),
    # keys, programs in the kernel, its queues and counters
    *("add_key", "keyctl", "request_key", "bpf", "perf_event_open", "userfaultfd", "seccomp", "personality"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "vmsplice", "lookup_dcookie"),
    # memory and messages that outlive a process; those of others are known by small numbers or by a name
    *("shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl"),
    *("mq_open", "mq_unlink"),
    "flock",  # of a file that it only reads, such as the lock of our kernels' cache
    # the machine
    *("reboot", "swapon", "swapoff", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "acct", "syslog"),
    *("iopl", "ioperm", "quotactl", "nfsservctl", "vhangup", "uselib", "modify_ldt", "ustat", "sysfs"),
    # its own place among the processes
    *("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set", "setpriority"),
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid"),
    *("mknod", "mknodat", "memfd_secret", "execveat"),
)
# Landlock alone does not hold what follows. Signals, and leaving the group that is stopped and ended as one:
OF_OTHER_PROCESSES = (
    *("kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "setsid", "setpgid"),
    *("migrate_pages", "move_pages"),
)
# These work on any file whose name is known
OF_ANY_FILE = (
    *("inotify_init", "inotify_init1", "truncate", "statmount", "listmount"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes"),
    *("utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
)
# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
NEW_NAMESPACES = (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
CLONE_THREAD = 0x10000
TERMINAL_INPUT_IOCTLS = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
# commands of fcntl, and requests of ioctl, by which the kernel signals another process, or holds up who opens a file
F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY = 8, 10, 15, 1024, 1026
FIOSETOWN, SIOCSPGRP = 0x8901, 0x8902
PR_SET_PDEATHSIG = 1
OWN_PID = 0x3AB1BA5E
"""Stands in the filter for the number of the process, which is not known before it starts (restricted_exec.py)."""
MOST_FAMILIES = 64  # kinds of sockets that have a number
TCP = 6
LOW_HALF = 0xFFFFFFFF  # the kernel reads only these bits of an int argument


class SeccompMissing(RuntimeError):
    """Filters cannot be made here; the message says why."""


@functools.cache
def filter_program(families: tuple[int, ...], *, unshared: bool, processes: bool) -> bytes:
    """The filter as the kernel takes it. Raises SeccompMissing.

    families: of sockets that may be made, of the internet TCP alone; pairs of sockets always can.  unshared: whether
    files and processes of others are out of sight; else they cannot be changed and signalled.  processes: whether it
    may start any; threads it always may.
    """
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError) as error:
        raise SeccompMissing(str(error)) from None
    arg, native = pyseccomp.Arg, pyseccomp.system_arch()
    refuse = pyseccomp.ERRNO(errno.EPERM)
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)  # calls of another architecture kill the process

    def refuse_call(name: str, *arguments: Any) -> None:
        if pyseccomp.resolve_syscall(native, name) >= 0:  # not every machine has every call
            made.add_rule(refuse, name, *arguments)

    for name in REFUSED:
        refuse_call(name)
    if not unshared:
        _refuse_others(refuse_call, arg, pyseccomp)
        made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "openat2")  # how it opens cannot be seen
        if not processes:
            refuse_call("tgkill", arg(0, pyseccomp.NE, OWN_PID))  # it may signal its own threads
    for flag in NEW_NAMESPACES:
        made.add_rule(refuse, "clone", arg(0, pyseccomp.MASKED_EQ, flag, flag))
    if not processes:
        made.add_rule(refuse, "clone", arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD, 0))
        for name in ("fork", "vfork"):
            refuse_call(name)
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags cannot be seen; libraries then take `clone`
    for request in TERMINAL_INPUT_IOCTLS:
        made.add_rule(refuse, "ioctl", arg(1, pyseccomp.MASKED_EQ, LOW_HALF, request))
    for family in range(MOST_FAMILIES):
        if family not in families:
            made.add_rule(refuse, "socket", arg(0, pyseccomp.EQ, family))
    made.add_rule(refuse, "socket", arg(0, pyseccomp.GE, MOST_FAMILIES))
    made.add_rule(refuse, "socketpair", arg(0, pyseccomp.NE, int(socket.AF_UNIX)))
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        for family in {socket.AF_INET, socket.AF_INET6} & set(families):
            made.add_rule(refuse, "socket", arg(0, pyseccomp.EQ, family), arg(1, pyseccomp.MASKED_EQ, 0xF, kind))
    made.add_rule(refuse, "socket", arg(2, pyseccomp.GT, TCP))  # other protocols over the same families
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def _refuse_others(refuse_call: Callable[..., None], arg: Any, pyseccomp: Any) -> None:
    """Refuse calls that reach others' processes, files and sockets, for sandboxes with Landlock only."""
    for name in (*OF_OTHER_PROCESSES, *OF_ANY_FILE):
        refuse_call(name)
    refuse_call("prlimit64", arg(0, pyseccomp.NE, 0))  # otherwise it could end other processes by lowering their limits
    refuse_call("prctl", arg(0, pyseccomp.MASKED_EQ, LOW_HALF, PR_SET_PDEATHSIG))  # it ends with us
    for command in (F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY):
        refuse_call("fcntl", arg(1, pyseccomp.MASKED_EQ, LOW_HALF, command))
    for request in (FIOSETOWN, SIOCSPGRP):
        refuse_call("ioctl", arg(1, pyseccomp.MASKED_EQ, LOW_HALF, request))
    to_be_cut = os.O_TRUNC | os.O_ACCMODE
    # Kernels before 6.2 let a file be cut that is opened to be read.
    refuse_call("open", arg(1, pyseccomp.MASKED_EQ, to_be_cut, os.O_TRUNC))
    refuse_call("openat", arg(2, pyseccomp.MASKED_EQ, to_be_cut, os.O_TRUNC))
    # One of a pair can be turned to a socket of the host; the kernel makes a raw one of them a datagram one, too.
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        refuse_call("socketpair", arg(1, pyseccomp.MASKED_EQ, 0xF, kind))

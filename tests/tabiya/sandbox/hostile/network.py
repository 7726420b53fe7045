"""Programs that want out by a socket.

`{port}`: of a server on this machine, which answers.  `{udp}`: of one that takes datagrams and answers.  `{socket}`,
`{datagrams}`: Unix sockets of the host; `{abstract}`: one without a file; all of them answer.
"""

from __future__ import annotations

from tests.tabiya.sandbox.hostile.program import Alone, HostileProgram

TO_ROOT, NOT_TRIED = Alone.TO_ROOT, Alone.NOT_TRIED
PAIR = "socket.socketpair(socket.AF_UNIX, socket.{kind})[0]"

NETWORK = (
    HostileProgram("connects to a server on this machine", "talk(socket.AF_INET, ('127.0.0.1', {port}))"),
    HostileProgram("asks its API", "read_page({port})"),
    HostileProgram("connects by IPv6", "talk(socket.AF_INET6, ('::ffff:127.0.0.1', {port}))"),
    HostileProgram("connects by the machine's other name (0.0.0.0)", "talk(socket.AF_INET, ('0.0.0.0', {port}))"),
    HostileProgram("asks the address of cloud metadata", "talk(socket.AF_INET, ('169.254.169.254', 80))", NOT_TRIED),
    HostileProgram("sends UDP", "talk(socket.AF_INET, ('127.0.0.1', {udp}), socket.SOCK_DGRAM)"),
    HostileProgram("asks for a name by DNS", "socket.gethostbyname('name.invalid')", NOT_TRIED),
    HostileProgram("makes a raw socket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", TO_ROOT),
    HostileProgram("makes a packet socket", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)", TO_ROOT),
    HostileProgram("asks the kernel by netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"),
    HostileProgram("speaks to the hypervisor (vsock)", "socket.socket(40, socket.SOCK_STREAM)", NOT_TRIED),
    HostileProgram("uses the kernel's cryptography", "socket.socket(38, socket.SOCK_SEQPACKET)", NOT_TRIED),
    HostileProgram("uses another protocol over IP", "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)", NOT_TRIED),
    HostileProgram("connects to a Unix socket", "talk(socket.AF_UNIX, {socket!r})"),
    HostileProgram("sends a Unix datagram", "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', {datagrams!r})"),
    HostileProgram("sends one by a socket of a pair", PAIR.format(kind="SOCK_DGRAM") + ".sendto(b'x', {datagrams!r})"),
    HostileProgram("the same with a raw pair", PAIR.format(kind="SOCK_RAW") + ".sendto(b'x', {datagrams!r})"),
    HostileProgram("connects to an abstract socket", "talk(socket.AF_UNIX, {abstract!r})"),
    HostileProgram("connects to D-Bus", "talk(socket.AF_UNIX, '/run/dbus/system_bus_socket')", NOT_TRIED),
    HostileProgram("connects to Docker", "talk(socket.AF_UNIX, '/var/run/docker.sock')", NOT_TRIED),
)  # fmt: skip

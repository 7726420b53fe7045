"""Programs that would go on forever, or take all that there is; statements, which print OUT when they have got more.

They run in a sandbox only, for a moment; then they are ended, and nothing of them may be left.
"""

from __future__ import annotations

from tabiya.sandbox.sandbox import SandboxKind
from tests.tabiya.sandbox.hostile.program import Alone, HostileProgram

ONE_BY_ONE = {SandboxKind.LANDLOCK: "open: each file is bounded, not all together"}
FILES = """
for n in range(200):
    try:
        open(os.path.join(FOLDER, str(n)), "wb").write(b"x" * 100_000)
    except OSError as error:
        print(error, flush=True); break
else:
    print("OUT", flush=True)
time.sleep(60)
"""


def _without_end(
    tries: str, code: str, open_with: dict[SandboxKind, str] | None = None, held_by: str = ""
) -> HostileProgram:
    return HostileProgram(tries, code, Alone.NOT_TRIED, open_with or {}, held_by)


ENDLESS = (
    _without_end("forks without end", """
count = 0
while True:
    try:
        if os.fork() == 0: time.sleep(60)
        count += 1
        if count > 100: print("OUT", flush=True)
    except OSError: time.sleep(0.01)
"""),
    _without_end("forks in every child", """
while True:
    try: os.fork()
    except OSError: time.sleep(0.01)
"""),
    _without_end("starts threads without end", """
while True:
    try:
        threading.Thread(target=time.sleep, args=(60,)).start()
        if threading.active_count() > 100: print("OUT", flush=True)
    except RuntimeError: time.sleep(0.01)
"""),
    _without_end("leaves a grandchild in a session of its own that ignores signals", """
if os.fork() == 0 and os.fork() == 0:
    try: os.setsid()
    except OSError: pass
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
    time.sleep(60)
time.sleep(0 if os.getpid() else 60)
"""),
    _without_end("ignores signals and works on a thread", """
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start(); time.sleep(60)
"""),
    _without_end("stops itself", "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)"),
    _without_end("takes memory for objects", """
kept = []
while len(kept) < 40: kept.append(bytearray(10 << 20))
print("OUT", flush=True); time.sleep(60)
"""),
    _without_end("takes memory in many children", """
children, (has_it, said) = [], os.pipe()
while len(children) < 8:
    pid = os.fork()
    if pid == 0:
        kept = bytearray(50 << 20)
        os.write(said, b".")
        time.sleep(60)
    children.append(pid)
for _ in children: os.read(has_it, 1)
time.sleep(0.05)
if sum(os.waitpid(pid, os.WNOHANG) == (0, 0) for pid in children) == 8: print("OUT", flush=True)
time.sleep(60)
""", held_by="memory"),
    _without_end("takes memory without a process (memfd)", """
for n in range(40):
    file = os.memfd_create("x")
    for _ in range(10): os.write(file, bytes(100_000 * 10))
print("OUT", flush=True); time.sleep(60)
""", held_by="memory"),
    _without_end("takes memory that is shared", """
import mmap
kept = mmap.mmap(-1, 400 << 20)
for at in range(0, len(kept), 4096): kept[at] = 1
print("OUT", flush=True); time.sleep(60)
""", held_by="memory"),
    _without_end("fills /tmp with files", FILES.replace("FOLDER", "TMP"), ONE_BY_ONE),
    _without_end("fills /dev/shm with files", FILES.replace("FOLDER", "'/dev/shm'")),
    _without_end("prints without end", "while True: sys.stdout.write('x' * 1000)"),
    _without_end("uses more processors than one", """
import hashlib
def work():
    while True: hashlib.sha256(bytes(1 << 20)).digest()
for _ in range(4): threading.Thread(target=work, daemon=True).start()
began, used = time.monotonic(), time.process_time()
time.sleep(0.4)
if time.process_time() - used > 1.5 * (time.monotonic() - began): print("OUT", flush=True)
time.sleep(60)
""", held_by="cpu"),
)  # fmt: skip

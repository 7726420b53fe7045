"""Programs that mean harm, as data: what each tries, and a few lines of Python that say OUT when they get it."""

from tests.tabiya.sandbox.hostile.endless import ENDLESS
from tests.tabiya.sandbox.hostile.files import READING, WRITING
from tests.tabiya.sandbox.hostile.network import NETWORK
from tests.tabiya.sandbox.hostile.power import OTHER_PROCESSES, POWER

SHORT = (*READING, *WRITING, *NETWORK, *OTHER_PROCESSES, *POWER)
KINDS = {
    "reading": READING,
    "writing": WRITING,
    "network": NETWORK,
    "other processes": OTHER_PROCESSES,
    "power": POWER,
    "without end": ENDLESS,
}
__all__ = ["ENDLESS", "KINDS", "SHORT"]

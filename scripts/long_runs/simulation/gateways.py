"""The gateways of a run: started, killed, started again; messages of hosts to them are checked when sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from scripts.long_runs.simulation.checks.oracle import Oracle
from scripts.long_runs.simulation.environment.bus import SimulatedBus
from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.long_runs.simulation.environment.network import Link, Network, ServerEnd
from scripts.long_runs.simulation.plan import Fault
from scripts.websocket_frames import FrameReader
from tabiya.protocol.codec import Encoding, decode_server
from tabiya.protocol.messages import ServerMessage
from tabiya.server.cluster.gateway_process import GatewayServer
from tabiya.server.cluster.link import HEARTBEAT_S
from tabiya.server.cluster.messages import ConnectionIdentified, GatewayBatch, HostBatch, Send, SendWelcome, unpack
from tabiya.server.cluster.remote_gateways import MAX_MISSED_BEATS
from tabiya.server.config import ServerConfig

JUDGED = [str(kind.__struct_config__.tag).encode() for kind in (Send, SendWelcome, ConnectionIdentified)]
RESTART_S = 0.5
BEFORE_S = 2.0  # since when the other end may not have been heard, and what is given back beyond that
AFTER_S = HEARTBEAT_S * (MAX_MISSED_BEATS + 2)  # until when a link that has failed is known to have


class Gateways:
    """running: the gateways that live, by their processes."""

    def __init__(
        self,
        loop: SimulatedLoop,
        network: Network,
        oracle: Oracle,
        trace: Callable[..., None],
        draw: Random,
        number: int,
    ) -> None:
        """number: how many there are."""
        self._number = number
        self._loop, self._network, self._oracle, self._trace, self._draw = loop, network, oracle, trace, draw
        self.bus = SimulatedBus(loop, draw, self._published)
        self.running: dict[Process, GatewayServer] = {}
        self._all: list[GatewayServer] = []  # nothing of a dead one is collected during the run

    def start_all(self) -> None:
        """Start as many as there are."""
        for _ in range(self._number):
            self.start()

    def start(self) -> None:
        """Start one."""
        process = self._loop.process(f"gateway {len(self._all) + 1}", lambda: self._draw.random() * 0.0003)
        self._trace("starts", process.name)
        with self._loop.acting(process):
            gateway = GatewayServer(ServerConfig(port=0), self.bus.end(process), self._loop.now_ns)
            self._loop.create_task(gateway.start())
        self._all.append(gateway)
        self.running[process] = gateway
        self._network.doors = list(self.running)

    def strike(self, fault: Fault) -> None:
        """A bad time of a gateway or of the bus begins. What a link was down is given back to the clocks."""
        if not self.running:
            self._loop.call_later(RESTART_S, self.strike, fault)
            return
        since_s, until_s = self._loop.time(), self._loop.time() + fault.lasts_s
        process = self._draw.choice(list(self.running))
        match fault.kind:
            case "gateway_killed":
                self.kill(process)
            case "gateway_standstill":
                since_s, until_s = self._loop.stand_still(process, fault.lasts_s)
            case "bus_cut":
                self.bus.cut_until_s[process.name] = until_s
            case _:
                self.bus.bad_until_s = until_s
                self.bus.loses, self.bus.doubles, self.bus.delays = (
                    self._draw.random() * fault.amount for _ in range(3)
                )
        self._oracle.timing.may_be_excused(since_s - BEFORE_S, until_s + AFTER_S)

    def kill(self, process: Process) -> None:
        """End one at once; another is started a little later."""
        self._trace("killed", process.name)
        del self.running[process]
        self._network.doors = list(self.running)
        self._loop.kill(process)
        self._network.died(process, self._draw)
        self._loop.call_later(RESTART_S, self.start)

    def _published(self, subject: str, data: bytes) -> None:
        """Check a host's messages; they count as sent from now on. A bot introduced here may have had turns before."""
        if not any(tag in data for tag in JUDGED):
            return  # a heartbeat, as most
        gateway = next((one for one in self.running.values() if subject.endswith(one.relay.name)), None)
        if gateway is None:
            self._introduced(unpack(data, GatewayBatch))
            return
        batch = unpack(data, HostBatch)
        if batch is None or batch.link not in {link.number for link in gateway.relay._links}:
            return  # no one receives it
        for item in batch.items:
            if isinstance(item, Send | SendWelcome) and (link := _link(gateway, item.connection)) is not None:
                for message in _messages(item, link.encoding):
                    self._oracle.judge(link, message, batch.host)

    def _introduced(self, batch: GatewayBatch | None) -> None:
        items = batch.items if batch is not None else ()
        gateway = next((one for one in self._all if batch is not None and one.relay.name == batch.gateway), None)
        for item in items:
            if gateway is not None and isinstance(item, ConnectionIdentified):
                link = _link(gateway, item.connection)
                if link is not None:
                    self._oracle.timing.introduced(link)


def _link(gateway: GatewayServer, number: int) -> Link | None:
    """The bot's side of a connection that the gateway holds."""
    connection = gateway.relay.connection(number)
    end = connection.transport if connection is not None else None
    return end.link if isinstance(end, ServerEnd) else None


def _messages(item: Send | SendWelcome, encoding: Encoding) -> Iterator[ServerMessage]:
    """The messages to a bot in this item."""
    if isinstance(item, SendWelcome):
        yield item.welcome
        return
    for _, payload in FrameReader(accepted=True).read(item.frame):
        yield decode_server(payload.decode() if encoding is Encoding.JSON else payload, encoding)

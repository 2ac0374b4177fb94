"""Ports for servers in tests, apart from those that other processes are given meanwhile."""

import os
import socket
from itertools import count

# Below what systems hand out for outgoing connections (32768 and above), so that nothing takes a
# port between the moment it is found free and the moment its server listens, some seconds later on
# a busy machine. Each process counts from a place of its own.
LOWEST, HIGHEST = 20_000, 32_000
_next = count(os.getpid() * 100)


def free_port() -> int:
    """A port that nobody listens on, and that was not given before in this process."""
    while True:
        port = LOWEST + next(_next) % (HIGHEST - LOWEST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port

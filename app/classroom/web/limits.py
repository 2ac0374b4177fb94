"""How often one address may try: some tries are free, then each one makes the wait longer."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from classroom.errors import Refused

MOST_ADDRESSES = 20_000
LONGEST_WAIT = 60.0


@dataclass
class _Account:
    used: float
    at: float
    until: float


class Budget:
    """Tries by address.

    free   how many may be used up at once; a room full of people has one address
    every  seconds after which one more is free again
    """

    def __init__(
        self, free: int, every: float, what: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._free, self._every, self._what, self._clock = free, every, what, clock
        self._accounts: OrderedDict[str, _Account] = OrderedDict()
        self._right: OrderedDict[tuple[str, str], None] = OrderedDict()

    def right(self, address: str, code: str) -> None:
        """The address knows this code: tries of others in the same room do not lock it out."""
        self._right[address, code] = None
        self._right.move_to_end((address, code))
        while len(self._right) > MOST_ADDRESSES:
            self._right.popitem(last=False)

    def knows(self, address: str, code: str) -> bool:
        """Whether the address has been right about this code before."""
        return (address, code) in self._right

    def check(self, address: str) -> None:
        """Raises Refused while the address has to wait."""
        account = self._accounts.get(address)
        wait = account.until - self._clock() if account else 0.0
        if wait > 0.0:
            seconds = int(wait) + 1
            raise Refused(429, f"{self._what} Wait {seconds} seconds.", retry_after=seconds)

    def use(self, address: str) -> None:
        """Count one try. Beyond the free ones the wait doubles with each, up to a minute."""
        now = self._clock()
        account = self._accounts.pop(address, None) or _Account(0.0, now, 0.0)
        rested = max(0.0, now - max(account.at, account.until))  # waiting is no rest
        account.used = max(0.0, account.used - rested / self._every) + 1.0
        account.at = now
        beyond = account.used - self._free
        if beyond > 0.0:
            account.until = now + min(LONGEST_WAIT, 2.0 ** min(beyond, 10.0))
        self._accounts[address] = account
        while len(self._accounts) > MOST_ADDRESSES:
            self._accounts.popitem(last=False)


def address_of(client: str | None, forwarded: str, trusted: bool) -> str:
    """Whom a request is counted for.

    client     the address of the connection
    forwarded  the header X-Forwarded-For; its last entry is what the nearest proxy saw, and is
               believed only if the server's owner says that there is a proxy
    An IPv6 address stands for its network of 64 bits, which one household has.

    >>> address_of("10.0.0.1", "1.2.3.4, 5.6.7.8", True)
    '5.6.7.8'
    >>> address_of("2001:db8::1:2", "", False)
    '2001:db8::/64'
    """
    given = forwarded.rsplit(",", 1)[-1].strip() if trusted and forwarded else client or ""
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        return given[:64]
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)

"""Cancel what has not begun; release what goes on."""

from paddock.errors import Conflict
from paddock.models import CancelRequest, Reservation
from paddock.server.booking.making import refuse_ended
from paddock.server.booking.people import Booker, check_own, tell_owner
from paddock.server.store import audit, reservations
from paddock.server.store.db import Connection
from paddock.settings import Settings


def cancel(
    c: Connection, settings: Settings, by: Booker, id: str, what: CancelRequest, now: float
) -> list[Reservation]:
    """Cancel a reservation that has not begun, or all of its series that have not; return them."""
    found = reservations.get(c, id)
    check_own(by, found)
    reservations.check_version(found, what.version)
    several = reservations.in_series(c, found.series) if what.series and found.series is not None else [found]
    open_ones = [one for one in several if one.cancelled_at is None and one.starts_at.timestamp() > now]
    if not open_ones:
        refuse_ended(found, now)
        raise Conflict(f"Reservation {found.id} has begun: release it (`paddock release {found.id}`).")
    for one in open_ones:
        reservations.cancel(c, one.id, by.name, what.why, now)
        audit.write(c, by, "reservation.cancel", "reservation", one.id, {"owner": one.owner, "why": what.why})
    did = "cancelled your reservation" + (f" ({what.why})" if what.why else "")
    tell_owner(c, settings, by, open_ones[0], did, now)
    return [reservations.get(c, one.id) for one in open_ones]


def release(c: Connection, settings: Settings, by: Booker, id: str, now: float) -> Reservation:
    """End a reservation that goes on; the rest of its time is free, and counts for no quota."""
    found = reservations.get(c, id)
    check_own(by, found)
    refuse_ended(found, now)
    if found.starts_at.timestamp() >= now:
        raise Conflict(f"Reservation {found.id} has not begun: cancel it (`paddock cancel {found.id}`).")
    reservations.release(c, found.id, now)
    audit.write(c, by, "reservation.release", "reservation", found.id, {"owner": found.owner})
    tell_owner(c, settings, by, found, "released your reservation", now)
    return reservations.get(c, found.id)

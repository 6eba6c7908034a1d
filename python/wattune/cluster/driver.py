"""Driver: one search on the evaluators of one group, from the first configuration to the final.

A ticket stands for a configuration until its result is in the journal, so that exactly N distinct configurations come
out of whatever happens to evaluators. docs/cluster.md tells the rules.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from .. import _core
from .._errors import Error, exception
from . import message
from .fleet import EvaluatorLost
from .groups import off_the_median
from .opening import SECONDS_TO_OPEN, Opening
from .seat import Call, Seat, Ticket
from .switchboard import Switchboard

IN_FLIGHT = 2
"""Calls of each evaluator: one runs, the next waits where it will run."""
AHEAD = 4
"""Configurations planned for each evaluator beyond its calls, so that its compilers work on them meanwhile."""
_GRACE = 30.0  # seconds beyond an evaluator's own limits
_MOST_LOSSES = 3  # of an evaluator in a row, without a result between
_MOST_LOSSES_AT_OPENING = 6
_POLL = 0.2  # seconds between two looks at deadlines and interrupts
_SECONDS_AFTER_INTERRUPT = 1.0
_CONTEST = 1 << 63  # the number of the final's first ticket

Note = Callable[[str], None]


def open_all(board: Switchboard, opening: Opening, note: Note, stop: threading.Event) -> None:
    """Opens the problem on every evaluator. Those that cannot are left out with a note."""
    opener = Opener(board, opening, note)
    for seat in board.seats:
        opener.begin(seat)
    while any(not seat.is_open and not seat.left_out for seat in board.seats) and not stop.is_set():
        if ended := board.wait(_POLL):
            opener.take(*ended)
        opener.check()


class Opener:
    """The conversation that opens a problem on an evaluator: by the hash of its files, and with them where needed."""

    def __init__(self, board: Switchboard, opening: Opening, note: Note) -> None:
        self._board = board
        self._opening = opening
        self._request = opening.request()
        self._note = note

    def begin(self, seat: Seat) -> None:
        """Asks the evaluator to open the problem."""
        self._board.send(seat, message.OPEN, Ticket(0, self._request))

    def take(self, seat: Seat, call: Call) -> bool:
        """Takes the end of a call; returns True if the evaluator is open now."""
        if not seat.take(call):
            return False
        try:
            reply = self._board.reply(call)
        except EvaluatorLost as error:
            self._lose(seat, str(error))
        except Exception as error:
            leave_out(seat, str(error), self._note)
        else:
            return self._take(seat, call, reply)
        return False

    def _take(self, seat: Seat, call: Call, reply: message.Reply) -> bool:
        if reply.status == message.NEEDS_BUNDLE:
            self._board.send(seat, message.BUNDLE, Ticket(0, self._opening.files()))
        elif reply.status == message.FAILED:
            leave_out(seat, message.from_json(reply.body)["text"], self._note)
        elif call.kind == message.BUNDLE:
            self.begin(seat)
        else:
            seat.introduce(message.from_json(reply.body))
            return True
        return False

    def _lose(self, seat: Seat, why: str) -> None:
        """Tries another process. An engine may have put this one on a node whose end it had not noticed yet."""
        seat.give_up()
        seat.lost_in_a_row += 1
        self._board.fleet.replace(seat.handle)
        if seat.lost_in_a_row < _MOST_LOSSES_AT_OPENING:
            self.begin(seat)
        else:
            leave_out(seat, f"its process ended while it opened the problem: {why}", self._note)

    def check(self) -> None:
        """Leaves out evaluators that take too long to open."""
        for seat in self._board.seats:
            if not seat.is_open and seat.waits() > SECONDS_TO_OPEN:
                seat.give_up()
                leave_out(seat, f"it did not open the problem within {SECONDS_TO_OPEN:g} s", self._note)


def leave_out(seat: Seat, why: str, note: Note) -> None:
    """Goes on without an evaluator."""
    seat.left_out = why
    note(f"{seat.name} is left out: {why}")


class Driver:
    """A search and the evaluators that work on it."""

    def __init__(self, board: Switchboard, opening: Opening, search: _core.FleetSearch, *, probe: float | None,
                 ahead: int, note: Note, stop: threading.Event, show: Callable[[], None]) -> None:  # fmt: skip
        self.dropped = 0
        """Results that came after another try of the same configuration."""
        self.losses = 0
        """Evaluators that were lost."""
        self._board = board
        self._seats = board.seats
        self._opener = Opener(board, opening, note)
        self._search = search
        self._probe_share = probe
        self._ahead = ahead
        self._note = note
        self._stop = stop
        self._show = show
        self._identity = board.seats[0].identity
        self._tickets: dict[int, Ticket] = {}
        self._again: list[Ticket] = []
        self._stopped_at: float | None = None
        self._contest: Ticket | None = None

    def run(self) -> None:
        """Searches, then holds the final. Raises the failure that leaves no evaluator, and errors of the journal."""
        self._check_all()
        while self._employ():
            self._turn()
        if self._stopped_at is None:
            self._hold_final()

    def _is_interrupted(self) -> bool:
        """True once the user's interrupt has left calls in flight their time to end."""
        if self._stop.is_set() and self._stopped_at is None:
            self._stopped_at = time.monotonic()
            self._search.cancel()
        return self._stopped_at is not None and time.monotonic() > self._stopped_at + _SECONDS_AFTER_INTERRUPT

    def _turn(self) -> None:
        """Waits for what ends next, or for the next look at the deadlines."""
        if ended := self._board.wait(_POLL):
            self._take(*ended)
        for seat in self._seats:
            if seat.calls and seat.waits() > (limit := self._limit(seat)):
                self._lose(seat, f"it gave no answer for {limit:.0f} s")
        self._show()

    def _limit(self, seat: Seat) -> float:
        oldest = seat.calls[0]
        if oldest.kind != message.RUN:
            return SECONDS_TO_OPEN
        return seat.deadline * max(1, oldest.ticket.contestants) + _GRACE

    def _employ(self) -> bool:
        """Gives every evaluator work; returns False when the search is over."""
        if self._is_interrupted():
            return False
        is_dry = False
        for depth in range(1, IN_FLIGHT + 1):
            for seat in self._seats:
                if not seat.is_checked or len(seat.calls) >= depth:
                    continue
                ticket = self._next(seat)
                if ticket is None:
                    is_dry = True
                    continue
                self._board.send(seat, message.RUN, ticket, b"".join(b" " + each.id() for each in seat.planned))
        if self._tickets:
            self._require_someone()
            return True
        if is_dry:
            return False
        self._require_someone()
        return True

    def _require_someone(self) -> None:
        if all(seat.left_out for seat in self._seats):
            raise exception("unavailable", f"no evaluator is left: {self._seats[-1].left_out}", {})

    def _next(self, seat: Seat) -> Ticket | None:
        for ticket in self._again:
            if self._may_try(seat, ticket):
                self._again.remove(ticket)
                return ticket
        while len(seat.planned) <= self._ahead and (handed := self._search.next()) is not None:
            ticket = Ticket(*handed)
            self._tickets[ticket.number] = ticket
            seat.planned.append(ticket)
        richest = max(self._seats, key=lambda each: len(each.planned))
        planned = seat.planned or richest.planned  # at the end, what is planned elsewhere
        return planned.popleft() if planned else None

    def _may_try(self, seat: Seat, ticket: Ticket) -> bool:
        """True unless the configuration cost an evaluator on this node, and another node is there to try it."""
        if seat.node not in ticket.lost_on:
            return True
        return all(each.node in ticket.lost_on for each in self._seats if not each.left_out)

    def _take(self, seat: Seat, call: Call) -> None:
        if call.kind != message.RUN:
            if self._opener.take(seat, call) and self._is_of_group(seat):
                self._check(seat)
            return
        is_known = call in seat.calls
        try:
            reply = self._board.reply(call)
            if reply.status != message.FAILED:
                self._tell(seat, call, reply)
            elif is_known:
                self._fail(seat, message.from_json(reply.body))
        except Error as error:
            if error.code != "parse_error":
                raise
            if is_known:
                self._lose(seat, str(error))
        except Exception as error:  # EvaluatorLost, and what an engine raises in its place
            if is_known:
                self._lose(seat, str(error) or type(error).__name__)

    def _is_of_group(self, seat: Seat) -> bool:
        """Leaves out an evaluator that came back as another one, such as with another driver or limit of power."""
        if seat.identity == self._identity:
            return True
        names = [name for name, value in self._identity.items() if seat.identity.get(name) != value]
        self._leave(seat, f"it came back with another {', '.join(names) or 'identity'}")
        return False

    def _leave(self, seat: Seat, why: str) -> None:
        self._put_back(seat.give_up())
        leave_out(seat, why, self._note)
        self._board.fleet.replace(seat.handle)

    def _check_all(self) -> None:
        """Probes every evaluator before the search, and leaves out those that are off the others."""
        for seat in self._seats:
            self._check(seat)
        while not self._is_interrupted() and any(not (seat.is_checked or seat.left_out) for seat in self._seats):
            self._turn()

    def _check(self, seat: Seat) -> None:
        """Sends the probe, whose reply decides whether the evaluator takes part."""
        if self._probe_share is None:
            seat.is_checked = True
        else:
            self._board.send(seat, message.RUN, Ticket(0, self._search.probe()))

    def _judge(self, seat: Seat, body: bytes) -> None:
        """Compares the probe of an evaluator with the others'. At the start, all of them wait for the last one."""
        seat.probed = self._search.probed(body)
        assert self._probe_share is not None
        if seat.probed is None:
            self._note(f"{seat.name} is not compared with its group: the default configuration fails")
            seat.is_checked = True
            return
        checked = {each.name: each.probed for each in self._seats if each.is_checked and each.probed is not None}
        if checked:
            off = off_the_median({**checked, seat.name: seat.probed}, self._probe_share)
            self._end_check([seat], off)
            return
        waiting = [each for each in self._seats if each.is_open and not each.is_checked]
        if all(each.probed is not None for each in waiting):
            times = {each.name: each.probed for each in waiting if each.probed is not None}
            self._end_check(waiting, off_the_median(times, self._probe_share))

    def _end_check(self, seats: Sequence[Seat], off: Mapping[str, float]) -> None:
        for seat in seats:
            if seat.name in off:
                more = "more" if off[seat.name] > 0 else "less"
                self._leave(seat, f"the probe takes {abs(off[seat.name]):.1%} {more} time than in its group")
            else:
                seat.is_checked = True

    def _tell(self, seat: Seat, call: Call, reply: message.Reply) -> None:
        """Tells the search a result. The first one of a ticket counts, whichever try it belongs to."""
        ticket = call.ticket
        if ticket is self._contest:
            self._search.tell_contest(reply.body, seat.name)
            self._contest = None
        elif ticket.number == 0:
            seat.take(call)
            self._judge(seat, reply.body)
        elif ticket.number in self._tickets:
            self._search.tell(ticket.number, reply.body, seat.name)
            self._close(ticket)
            seat.told += 1
            seat.busy += reply.seconds
        else:
            self.dropped += 1
        if seat.take(call):
            seat.lost_in_a_row = 0

    def _close(self, ticket: Ticket) -> None:
        del self._tickets[ticket.number]
        if ticket in self._again:
            self._again.remove(ticket)

    def _fail(self, seat: Seat, failure: dict[str, str]) -> None:
        """Takes an error that no configuration causes. A lost device is replaced; any other leaves the seat empty."""
        if failure["code"] == "device_lost":
            self._lose(seat, failure["text"])
        else:
            self._leave(seat, failure["text"])

    def _lose(self, seat: Seat, why: str) -> None:
        """Replaces an evaluator and charges its loss to its oldest call; the others go back without blame."""
        calls = seat.give_up()
        self.losses += 1
        seat.lost += 1
        seat.lost_in_a_row += 1
        if calls and calls[0].kind == message.RUN:
            calls[0].ticket.lost_on.append(seat.node)
        self._put_back(calls)
        self._board.fleet.replace(seat.handle)
        if seat.lost_in_a_row >= _MOST_LOSSES:
            leave_out(seat, f"it was lost {_MOST_LOSSES} times in a row: {why}", self._note)
            return
        self._note(f"{seat.name} was lost and is replaced: {why}")
        self._opener.begin(seat)

    def _put_back(self, calls: Sequence[Call]) -> None:
        for call in calls:
            ticket = call.ticket
            if call.kind != message.RUN or call.epoch != ticket.epoch:
                continue
            ticket.epoch += 1
            if ticket.contestants or ticket.number not in self._tickets:
                continue
            if len(ticket.lost_on) < 2:
                self._again.append(ticket)
                continue
            first, second = ticket.lost_on
            self._search.give_up(ticket.number, f"it cost two evaluators, on {first} and on {second}", second)
            self._close(ticket)

    def _hold_final(self) -> None:
        number = _CONTEST
        if not any(seat.holds_contests for seat in self._seats):  # a recording cannot run anything in turns
            return
        while (body := self._search.next_contest()) is not None:
            contest = self._contest = Ticket(number, body, contestants=body.count(b" "))
            number += 1
            while self._contest is not None:
                if len(contest.lost_on) > 1 or self._is_interrupted():
                    self._search.tell_contest(b"", "")
                    self._contest = None
                    return
                self._require_someone()
                self._call_contest(contest)
                self._turn()

    def _call_contest(self, contest: Ticket) -> None:
        if any(call.ticket is contest for seat in self._seats for call in seat.calls):
            return
        for seat in self._seats:
            if seat.is_checked and self._may_try(seat, contest):
                self._board.send(seat, message.RUN, contest)
                return

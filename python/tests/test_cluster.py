"""Tuning on several evaluators, in processes of this machine and on a fleet that loses them on purpose."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import resource
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
import wattune
from cluster_problems import HereFleet, recording_in, spec_in
from wattune import cluster
from wattune.cluster import bundle, message
from wattune.cluster import driver as driver_module
from wattune.cluster.device_lock import DeviceLock
from wattune.cluster.display import Latest
from wattune.cluster.groups import Group, off_the_median
from wattune.cluster.opening import prepare

SPACE = {"X": range(8), "Y": range(5)}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def problem(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A spec and the options with which a recording answers for it."""
    return spec_in(tmp_path, SPACE), {"device": f"replay:{recording_in(tmp_path, SPACE)}"}


def trials_of(journal: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return [line for line in lines if "id" in line]


def test_processes_share_a_search(problem: Any, tmp_path: Path) -> None:
    spec, options = problem
    journal = tmp_path / "run.jsonl"
    results = cluster.tune(spec, evaluators=2, journal=journal, strategy="exhaustive", **options)
    assert len(results) == 40
    assert results.best_configuration == {"X": 0, "Y": 0}
    trials = trials_of(journal)
    assert Counter(Counter(each["id"] for each in trials).values()) == {1: 40}
    assert len({each["device"] for each in trials}) == 1, "both evaluators are on this machine's replay"
    assert len(wattune.read(journal)) == 40


def test_devices_of_the_host_measure_and_hold_a_final(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, {"X": [1, 2], "Y": [1]})
    journal = tmp_path / "run.jsonl"
    results = cluster.tune(spec, evaluators=2, device="host:0", journal=journal, max_samples=7, compile_processes=1)
    assert len(results) == 2
    assert all(each["status"] == "correct" for each in results)
    assert results.baseline is not None
    final = [each for each in trials_of(journal) if "final" in each]
    assert len(final) == 2, "the best run in turns on one evaluator"
    assert {each["device"].rsplit("/", 1)[1] for each in trials_of(journal)} == {"host:0"}


def test_a_journal_is_continued(problem: Any, tmp_path: Path) -> None:
    spec, options = problem
    journal = tmp_path / "run.jsonl"
    first = cluster.tune(spec, fleet=HereFleet(["a"]), journal=journal, evaluations=15, **options)
    assert len(first) == 15
    second = cluster.tune(spec, fleet=HereFleet(["a", "b"]), journal=journal, strategy="exhaustive", **options)
    assert len(second) == 40
    assert Counter(Counter(each["id"] for each in trials_of(journal)).values()) == {1: 40}


def test_another_problem_does_not_continue_the_journal(problem: Any, tmp_path: Path) -> None:
    spec, options = problem
    journal = tmp_path / "run.jsonl"
    cluster.tune(spec, fleet=HereFleet(["a"]), journal=journal, evaluations=3, **options)
    before = journal.read_bytes()
    spec_in(tmp_path, SPACE, source=(tmp_path / "add.cc").read_text() + "// other\n")
    with pytest.raises(wattune.MismatchError, match="kernel source"):
        cluster.tune(spec, fleet=HereFleet(["a"]), journal=journal, **options)
    assert journal.read_bytes() == before


def ticket_of(request: bytes) -> int:
    parsed = message.parse_request(request)
    return parsed.ticket if parsed.kind == message.RUN else 0


def test_a_loss_is_charged_to_the_oldest_call(problem: Any) -> None:
    class Losing(HereFleet):
        def fault(self, handle: int, request: bytes) -> str:
            return "lost before" if ticket_of(request) == 3 else ""

    spec, options = problem
    fleet = Losing(["a", "b"])
    results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", **options)
    assert len(results) == 40
    failed = [each for each in results if each["status"] != "correct"]
    assert [each["status"] for each in failed] == ["runtime"]
    assert "on a and on b" in failed[0]["message"] or "on b and on a" in failed[0]["message"]
    assert len(fleet.replaced) == 2, "each loss is replaced, and no other configuration costs one"


def test_a_configuration_is_tried_again_on_another_node(problem: Any) -> None:
    class LosingOnA(HereFleet):
        tries: ClassVar[Counter[str]] = Counter()

        def fault(self, handle: int, request: bytes) -> str:
            if ticket_of(request) == 5:
                self.tries[self.nodes[handle]] += 1
                return "lost before" if self.nodes[handle] == "a" else ""
            return ""

    spec, options = problem
    fleet = LosingOnA(["a", "a", "b"])
    results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", **options)
    assert {each["status"] for each in results} == {"correct"}
    assert fleet.tries["a"] <= 1
    assert fleet.tries["b"] == 1


def test_work_that_was_done_before_a_loss_counts_once(problem: Any, tmp_path: Path) -> None:
    class LosingAfterwards(HereFleet):
        lost: ClassVar[set[int]] = set()

        def fault(self, handle: int, request: bytes) -> str:
            ticket = ticket_of(request)
            if ticket % 7 != 3 or ticket in self.lost:
                return ""
            self.lost.add(ticket)
            return "lost after"

    spec, options = problem
    fleet = LosingAfterwards(["a", "b", "c"])
    journal = tmp_path / "run.jsonl"
    results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", journal=journal, **options)
    assert {each["status"] for each in results} == {"correct"}
    assert Counter(Counter(each["id"] for each in trials_of(journal)).values()) == {1: 40}


def test_a_silent_evaluator_is_replaced_at_its_deadline(problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(HereFleet):
        def fault(self, handle: int, request: bytes) -> str:
            return "silent" if handle == 0 and ticket_of(request) and not self.replaced else ""

    monkeypatch.setattr(driver_module, "_GRACE", 0.3)
    monkeypatch.setattr(driver_module.Seat, "introduce", _without_deadline(driver_module.Seat.introduce))
    spec, options = problem
    fleet = Silent(["a", "b"])
    results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", **options)
    assert fleet.replaced == [0]
    assert len(results) == 40
    assert {each["status"] for each in results} == {"correct"}


def _without_deadline(introduce: Any) -> Any:
    def changed(seat: Any, hello: dict[str, Any]) -> None:
        introduce(seat, {**hello, "deadline": 0.0})

    return changed


@pytest.mark.parametrize("seed", range(20))
def test_random_faults_leave_exactly_one_trial_of_each(problem: Any, tmp_path: Path, seed: int) -> None:
    class Random(HereFleet):
        random = random.Random(seed)
        faults = 0

        def fault(self, handle: int, request: bytes) -> str:
            if ticket_of(request) == 0 or self.random.random() > 0.2:
                return ""
            self.faults += 1
            return self.random.choice(["lost before", "lost after"])

    spec, options = problem
    fleet = Random(["a", "a", "b", "c"])
    journal = tmp_path / "run.jsonl"
    try:
        results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", journal=journal,
                               compile_processes=seed % 2, **options)  # fmt: skip
    except wattune.UnavailableError:  # each evaluator was lost three times in a row
        results = cluster.tune(spec, fleet=HereFleet(["d"]), strategy="exhaustive", journal=journal, **options)
    assert len(results) == 40
    assert Counter(Counter(each["id"] for each in trials_of(journal)).values()) == {1: 40}
    assert fleet.executed - 40 <= 2 * fleet.faults


def test_an_evaluator_may_be_lost_while_it_opens(problem: Any) -> None:
    class LosingAtOpening(HereFleet):
        opened = 0

        def fault(self, handle: int, request: bytes) -> str:
            if message.parse_request(request).kind != message.OPEN:
                return ""
            self.opened += 1
            return "lost before" if self.opened in (1, 3, 4) else ""

    spec, options = problem
    fleet = LosingAtOpening(["a", "b"])
    assert len(cluster.tune(spec, fleet=fleet, strategy="exhaustive", **options)) == 40
    assert len(fleet.replaced) == 3


def test_groups_are_told_apart_and_one_is_chosen(problem: Any) -> None:
    class TwoModels(HereFleet):
        def submit(self, handle: Any, request: bytes) -> Any:
            reply = super().submit(handle, request)
            parsed = message.parse_reply(reply.result())
            if message.parse_request(request).kind != message.OPEN or parsed.status != message.DONE or handle < 2:
                return reply
            hello = message.from_json(parsed.body)
            hello["identity"]["power.limit"] = "350"
            hello["identity"]["device"] = "another board"
            return _done(parsed._replace(body=message.to_json(hello)).to_bytes())

    spec, options = problem
    with pytest.raises(wattune.MismatchError, match=r"1 \(2 of .*\), 2 \(1 of another board\), .*power.limit"):
        cluster.tune(spec, fleet=TwoModels(["a", "a", "b"]), **options)
    results = cluster.tune(spec, fleet=TwoModels(["a", "a", "b"]), group="another", strategy="exhaustive", **options)
    assert len(results) == 40
    with pytest.raises(wattune.MismatchError, match="no single group"):
        cluster.tune(spec, fleet=TwoModels(["a", "a", "b"]), group="nothing", **options)


def test_who_is_off_the_group_is_named() -> None:
    assert off_the_median({"a": 1.0, "b": 1.01, "c": 0.99, "d": 1.05}, 0.03) == {"d": pytest.approx(0.05)}
    assert off_the_median({"a": 1.0, "b": 1.02, "c": 0.99}, 0.03) == {}
    assert list(off_the_median({"a": 1.0, "b": 1.2}, 0.03)) == ["b"]
    assert set(off_the_median({"a": 1.0, "b": 1.0, "c": 2.0, "d": 1.1, "e": 1.0}, 0.03)) == {"c", "d"}
    assert off_the_median({"a": 1.0}, 0.03) == {}


def test_the_probe_leaves_out_a_slow_evaluator(problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recording answers for an evaluator whose device is 10 % slower than those of the others."""
    monkeypatch.setattr(Group, "is_of_gpus", True)
    slow = {1: 1.0, 2: 1.1, 3: 1.0}
    probed = wattune._core.FleetSearch.probed
    order: list[int] = []

    class Asked(driver_module.Driver):
        def _judge(self, seat: Any, body: bytes) -> None:
            order.append(seat.handle)
            seat.name = f"evaluator {seat.handle}"
            super()._judge(seat, body)

        def __init__(self, board: Any, opening: Any, search: Any, **more: Any) -> None:
            super().__init__(board, opening, Slowed(search), **more)

    class Slowed:
        def __init__(self, search: Any) -> None:
            self._search = search

        def __getattr__(self, name: str) -> Any:
            return getattr(self._search, name)

        def probed(self, body: bytes) -> float:
            return slow[order[-1] + 1] * probed(self._search, body)

    monkeypatch.setattr("wattune.cluster.tuning.Driver", Asked)
    spec, options = problem
    fleet = HereFleet(["a", "b", "c"])
    notes = Notes()
    results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", progress=notes, **options)
    assert len(results) == 40
    assert notes.notes == ["evaluator 1 is left out: the probe takes 10.0% more time than in its group"]


class Notes(Latest):
    """Keeps notes."""


def test_importing_loads_no_engine(python: Any) -> None:
    done = python("import sys, wattune, wattune.cluster, wattune.cluster.tuning, wattune.cluster.command\n"
                  "assert not {'ray', 'parsl', 'numpy'} & set(sys.modules), sys.modules.keys()\n")  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_files_of_a_spec_travel_by_their_hash(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "more.h").write_text("#define MORE 0\n")
    source = '#include "kernels/more.h"\nextern "C" void add(const float* a, float* c, int n) { c[0] = MORE; }\n'
    spec = spec_in(tmp_path, SPACE, source=source)
    first = prepare(spec, options={"device": "auto"}, sizes=None, constraints=(), goals={}).bundle
    assert prepare(spec, options={"device": "auto"}, sizes=None, constraints=(), goals={}).bundle == first
    folder = bundle.unpack(first.hash, first.data)
    assert sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()) == [
        "add.cc", "add.toml", "kernels/more.h"]  # fmt: skip
    assert bundle.unpack(first.hash, first.data) == folder
    with pytest.raises(wattune.ParseError, match="damaged"):
        bundle.unpack(first.hash, first.data + b"x")


def test_a_bundle_stays_in_its_folder(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("../outside", b"")
    data = stream.getvalue()
    with pytest.raises(wattune.ParseError, match="outside"):
        bundle.unpack(hashlib.sha256(data).hexdigest(), data)
    assert not list(tmp_path.rglob("outside"))


def test_a_device_has_one_lock(tmp_path: Path) -> None:
    name = f"GPU-test-{os.getpid()}"
    first = DeviceLock(name, shared=False, seconds=0.0)
    with pytest.raises(wattune.BusyError, match=name):
        DeviceLock(name, shared=False, seconds=0.0)
    first.close()
    DeviceLock(name, shared=False, seconds=0.0).close()
    shared = [DeviceLock(name, shared=True, seconds=0.0) for _ in range(3)]
    for each in shared:
        each.close()
    for file in Path("/tmp").glob(f"wattune-device-{name}*"):
        file.unlink()


def test_evaluators_hear_what_comes_next(problem: Any) -> None:
    class Listening(HereFleet):
        heard: ClassVar[list[list[bytes]]] = []

        def fault(self, handle: int, request: bytes) -> str:
            if ticket_of(request):
                self.heard.append(message.parse_request(request).body.split()[1:])
            return ""

    spec, options = problem
    fleet = Listening(["a"])
    results = cluster.tune(spec, fleet=fleet, strategy="exhaustive", compile_processes=1, **options)
    assert len(results) == 40
    evaluated = [ids[0] for ids in fleet.heard]
    for place, ids in enumerate(fleet.heard):
        assert ids == evaluated[place : place + 1 + min(4, 39 - place)]


def test_two_drivers_do_not_write_one_journal(problem: Any, tmp_path: Path) -> None:
    spec, options = problem
    journal = tmp_path / "run.jsonl"

    class Asking(HereFleet):
        refused = 0

        def fault(self, handle: int, request: bytes) -> str:
            if ticket_of(request) == 3:
                with pytest.raises(wattune.BusyError, match=r"run\.jsonl"):
                    cluster.tune(spec, fleet=HereFleet(["b"]), journal=journal, **options)
                self.refused += 1
            return ""

    fleet = Asking(["a"])
    assert len(cluster.tune(spec, fleet=fleet, journal=journal, strategy="exhaustive", **options)) == 40
    assert fleet.refused == 1


def test_a_full_disk_ends_the_run_and_the_journal_is_continued(problem: Any, tmp_path: Path) -> None:
    class Filling(HereFleet):
        def fault(self, handle: int, request: bytes) -> str:
            if ticket_of(request) == 10:
                resource.setrlimit(resource.RLIMIT_FSIZE, (journal.stat().st_size + 100, limits[1]))
            return ""

    spec, options = problem
    journal = tmp_path / "run.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(wattune.IoError, match=r"run\.jsonl"):
            cluster.tune(spec, fleet=Filling(["a", "b"]), journal=journal, strategy="exhaustive", **options)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    before = {each["id"] for each in trials_of(journal)}
    assert 5 <= len(before) < 12
    cluster.tune(spec, fleet=HereFleet(["a"]), journal=journal, strategy="exhaustive", **options)
    assert Counter(Counter(each["id"] for each in trials_of(journal)).values()) == {1: 40}


def test_strange_replies_cost_their_evaluator_and_change_nothing(problem: Any) -> None:
    class Strange(HereFleet):
        seen: ClassVar[list[int]] = []

        def submit(self, handle: Any, request: bytes) -> Any:
            reply = super().submit(handle, request)
            ticket = ticket_of(request)
            if ticket not in (2, 12, 22, 32) or ticket in self.seen:
                return reply
            self.seen.append(ticket)
            text = reply.result()
            changed = [b"garbage", text + b"x" * (1 << 20), text[:9] + b"\0" + text[10:], text[:-5] + b"1e9\n"]
            return _done(changed[len(self.seen) - 1])

    spec, options = problem
    results = cluster.tune(spec, fleet=Strange(["a", "b"]), strategy="exhaustive", **options)
    assert len(results) == 40
    assert {each["status"] for each in results} == {"correct"}


def _done(text: bytes) -> Any:
    from concurrent.futures import Future

    reply: Future[bytes] = Future()
    reply.set_result(text)
    return reply

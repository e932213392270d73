"""Eight processes count in one block of memory, and one of them is killed meanwhile. Nothing
that was promised is lost: every change whose release has returned is in the number for ever."""

from __future__ import annotations

import signal

import pytest

import conch

COUNTERS = 8

# Writes a byte after each release that has returned. The byte stays in the file if the process is
# killed.
COUNTS = """
path, copies, rounds, half = sys.argv[1], *map(int, sys.argv[2:])
data = conch.Data("number", 8, group="test", copies=copies)
torn = 0

def count():
    with data as view:
        numbers = view.cast("q")
        numbers[0] += 1
        numbers.release()

conch.default_peer("test")
say("ready")
sys.stdin.readline()
promised = os.open(path, os.O_WRONLY | os.O_APPEND)
for i in range(rounds):
    try:
        count()
    except conch.DataTorn:
        torn += 1
        data = conch.Data("number", 8, group="test", copies=copies, accept_damaged=True)
        count()
    os.write(promised, b"+")
    if i == half:
        say("half")
say("torn", torn)
sys.stdin.readline()
"""


@pytest.mark.parametrize("copies, rounds", [(0, 10_000), (1, 1_000)])
def test_nothing_promised_is_lost(scratch, script, copies, rounds):
    files = [scratch / f"promised.{i}" for i in range(COUNTERS)]
    for file in files:
        file.touch()
    words = [str(copies), str(rounds), str(rounds // 2)]
    counters = [script(COUNTS, str(file), *words, patience=280) for file in files]
    for counter in counters:
        assert counter.line() == "ready"
    for counter in counters:
        counter.go_on()

    victim, *others = counters
    assert victim.line() == "half"
    victim.send(signal.SIGKILL)
    assert victim.end() == -signal.SIGKILL
    for counter in others:
        assert counter.line() == "half"
    # Without copies a process works in place. So the next ones are told that it was killed inside,
    # until one of them has written. The number is right nevertheless, because a processor writes
    # it in one piece.
    torn = [counter.line() for counter in others]
    assert set(torn) <= {"torn 0", "torn 1"}
    assert copies == 0 or "torn 1" not in torn

    promised = [file.stat().st_size for file in files]
    assert promised[1:] == [rounds] * (COUNTERS - 1)
    assert rounds // 2 < promised[0] < rounds
    with conch.Data("number", group="test") as view:
        number = view.cast("q")[0]
    # The process may have been killed between its last release and its byte.
    assert sum(promised) <= number <= sum(promised) + 1
    for counter in others:
        counter.go_on()
        assert counter.end() == 0

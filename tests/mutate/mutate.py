#!/usr/bin/env python3
"""Plants the faults of faults.txt, one at a time, and reports what notices them: ./dev mutate.

The faults are planted in a copy of the tree, below build/mutate: most of them in one program, each
behind a switch (switches.py), the others one by one. With each fault `conch survive` runs with
fresh seeds until it complains or its time is over; if it does not complain, the tests of recovery,
node and channels run. Results are kept until the sources change, so an interrupted run continues
where it was.
"""
import argparse
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import invent
import switches

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "mutate"
TREE = FOLDER / "tree"
BUILD = FOLDER / "build"
RESULTS = FOLDER / "results.jsonl"
SWITCH = FOLDER / "switch.hpp"
# The algorithms that `conch survive` runs in turn, and how many runs each: a few are enough for
# most faults; a thousand show whether expected events happen; overlays take longer. None stands for
# one run, struck at every step.
FIRST_TURNS = [("naimi-trehel", 150), ("elmp", 150), ("central", 150), ("all", 60), ("naimi-trehel", 1500)]
TURNS = [("elmp", 1500), ("central", 1500), ("elmp", None), ("all", 700), ("naimi-trehel", 1500)]
TESTS = ("recovery_test", "node_test", "wire_test")


@dataclass
class Fault:
    name: str
    what: str
    file: str = ""
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)
    excuse: str = ""
    is_harmless: bool = False

    def planted(self, text):
        """The text of the file with the fault; an error unless its lines are found exactly once."""
        old = "".join(line + "\n" for line in self.before)
        new = "".join(line + "\n" for line in self.after)
        places = text.count("\n" + old)
        if places != 1:
            raise SystemExit(f"mutate: {self.name} matches {places} places in {self.file}, not one")
        return text.replace("\n" + old, "\n" + new)


def read_faults():
    faults = []
    for number, line in enumerate((Path(__file__).parent / "faults.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        mark, rest = line[0], line[1:]
        if mark == "-":
            faults[-1].before.append(rest)
        elif mark == "+":
            faults[-1].after += [rest] if rest else []
        elif mark in "?=":
            faults[-1].excuse = rest.strip()
            faults[-1].is_harmless = mark == "="
        elif line.startswith("src/"):
            faults[-1].file = line
        elif ": " in line:
            faults.append(Fault(*line.split(": ", 1)))
        else:
            raise SystemExit(f"mutate: faults.txt:{number} is malformed: {line}")
    names = [fault.name for fault in faults]
    for name in names:
        if names.count(name) > 1:
            raise SystemExit(f"mutate: two faults are called {name}")
    return faults


def invented_faults(how_many):
    """Faults drawn at random from all that one line of a peer's decisions could have."""
    names = [name for name in tracked_files() if re.match(r"src/(node|recovery|wire/channels)[^.]*\.cpp$", name)
             and not name.endswith("_test.cpp")]
    all_of_them = [Fault(name, what, file, before, after) for file in names
                   for name, what, before, after in invent.in_file(file, (ROOT / file).read_text())]
    return random.SystemRandom().sample(all_of_them, min(how_many, len(all_of_them)))


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            check=True, capture_output=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def copy_tree():
    """Copies the sources. Unchanged files are not touched, so they are not built again."""
    digest = hashlib.sha256()
    names = tracked_files()
    for stale in {path.relative_to(TREE).as_posix() for path in TREE.rglob("*") if path.is_file()} - set(names):
        (TREE / stale).unlink()
    for name in sorted(names):
        content = (ROOT / name).read_bytes()
        if name.startswith("src/"):
            digest.update(name.encode() + b"\0" + content)
        copy = TREE / name
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy)
    return digest.hexdigest()


def configure():
    if SWITCH.is_file() and (BUILD / "build.ninja").is_file():
        return
    SWITCH.write_text(switches.HEADER)
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    f"-DCMAKE_CXX_FLAGS_RELEASE=-O1 -w -include {SWITCH}", "-DCMAKE_UNITY_BUILD=ON", "-DCONCH_LAB=ON", "-DBUILD_TESTING=ON",
                    *launcher], check=True, stdout=subprocess.DEVNULL)


def build():
    """Builds the programs. Returns "" or the output of the compiler."""
    built = subprocess.run(["cmake", "--build", BUILD, "--target", "conch-lab", *TESTS,
                            "-j", str(os.cpu_count()), "--", "-k", "0"], capture_output=True, text=True)
    return "" if built.returncode == 0 else built.stdout


def run(command, seconds, number=0):
    """Runs a command with this fault. Returns status and output; None and "" if it was killed."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             start_new_session=True, env={**os.environ, "CONCH_FAULT": str(number)})
    try:
        said, _ = child.communicate(timeout=seconds)
        return child.returncode, said
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if child.returncode is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()


def survive(seconds, number):
    """The seconds until `conch survive` complained, and of what; None if it did not."""
    begun = time.monotonic()
    for algorithm, runs in itertools.chain(FIRST_TURNS, itertools.cycle(TURNS)):
        left = seconds - (time.monotonic() - begun)
        if left <= 0:
            return None
        first = random.SystemRandom().randrange(1 << 40)
        which = ["--seeds", f"{first}..{first + runs - 1}"] if runs else ["--nodes", "2", "--everywhere", "--seed", str(first)]
        status, said = run([BUILD / "conch-lab", "survive", algorithm, "--threads", str(os.cpu_count()), *which], left, number)
        if status is None or status == 0:
            continue
        complaints = [line for line in said.splitlines() if " broken" in line or "never happened" in line]
        what = complaints[0].strip() if complaints else f"it ended with {status}"
        return round(time.monotonic() - begun, 1), what


def is_caught_by_tests(number):
    with ThreadPoolExecutor() as pool:
        return any(pool.map(lambda test: run([BUILD / test, "--gtest_brief=1"], 120, number)[0] != 0, TESTS))


def observed(seconds, number=0):
    """Returns what noticed the fault. The tests run only if `conch survive` has not noticed it."""
    complaint = survive(seconds, number)
    if complaint:
        return {"survive": complaint[0], "what": complaint[1], "tests": False}
    return {"survive": None, "what": None, "tests": is_caught_by_tests(number)}


def original(file):
    return (ROOT / file).read_text()


def restore(files):
    for file in files:
        (TREE / file).write_text(original(file))


def try_alone(fault, seconds):
    (TREE / fault.file).write_text(fault.planted(original(fault.file)))
    try:
        trouble = build()
        return {"trouble": trouble[-3000:]} if trouble else observed(seconds)
    finally:
        restore([fault.file])


def write_switched(faults, files):
    """Writes files with switches. Returns the file and lines of each fault that has a switch."""
    places = {}
    for file in files:
        here = {number: fault for number, fault in faults.items() if fault.file == file}
        text, lines = switches.rewritten(here, original(file))
        (TREE / file).write_text(text)
        places |= {number: (file, lines[number]) for number in lines}
    return places


def blamed(trouble, places):
    """The faults that cause the errors: the last one up to the line of each error."""
    found = set()
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: error", trouble, re.MULTILINE):
        before = [(lines.start, number) for number, (file, lines) in places.items()
                  if path.endswith(file) and lines.start <= int(line)]
        found |= {max(before)[1]} if before else set()
    return found


def plant_together(faults):
    """Builds one program with a switch for each fault. Returns the numbers of the faults in it."""
    files = {fault.file for fault in faults.values()}
    while places := write_switched(faults, files):
        trouble = build()
        if not trouble:
            break
        guilty = blamed(trouble, places)
        if not guilty:
            raise SystemExit(f"mutate: the tree does not build with its switches:\n{trouble[-3000:]}")
        faults = {number: fault for number, fault in faults.items() if number in places.keys() - guilty}
    return set(places)


def tell(fault, result):
    if "trouble" in result:
        return print(f"{fault.name:<26} DOES NOT COMPILE\n{result['trouble']}", flush=True)
    by = []
    if result["survive"] is not None:
        by.append(f"survive, {result['survive']} s ({result['what'].split(':')[0]})")
    if result["tests"]:
        by.append("the tests")
    print(f"{fault.name:<26} {'caught by ' + ', '.join(by) if by else 'NOT CAUGHT: ' + fault.what}", flush=True)


def summarize(faults, results, seconds):
    caught = [fault for fault in faults if results[fault.name]["survive"] is not None]
    harmless = [fault for fault in faults if fault.is_harmless and fault not in caught]
    harmful = len(faults) - len(harmless)
    either = [fault for fault in faults if fault in caught or results[fault.name]["tests"]]
    print(f"\n{len(caught)} of {harmful} faults that do harm ({100 * len(caught) // max(harmful, 1)} %) are caught by conch "
          f"survive within {seconds} s; of all {len(faults)}, {len(either)} by that or the tests.")
    missed = [fault for fault in faults if fault not in caught and fault not in harmless]
    for title, those in (("Not by conch survive:", missed), ("Of no harm:", harmless)):
        if those:
            print(title)
        for fault in those:
            also = "" if results[fault.name]["tests"] else "; nor by the tests"
            print(f"  {fault.name}{also}: {fault.excuse or 'unexplained'}")


def known_results(digest):
    known = {}
    if RESULTS.is_file():
        for line in RESULTS.read_text().splitlines():
            entry = json.loads(line)
            if entry["digest"] == digest:
                known[entry["key"]] = entry["result"]
    return known


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Plant faults, one at a time, and report what notices them")
    parser.add_argument("names", nargs="*", help="only these faults")
    parser.add_argument("--sample", type=int, metavar="N", help="number of faults to draw at random")
    parser.add_argument("--invent", type=int, metavar="N", help="number of faults to invent at random, which are not in the list")
    parser.add_argument("--harmful", action="store_true", help="leave out the faults that are marked as harmless")
    parser.add_argument("--seconds", type=int, default=60, help="time that conch survive may take for each fault (60)")
    parser.add_argument("--check", action="store_true", help="check only that every fault has its place in the sources")
    options = parser.parse_args()

    faults = invented_faults(options.invent) if options.invent else read_faults()
    for fault in faults:
        fault.planted((ROOT / fault.file).read_text())
    if options.check:
        return print(f"{len(faults)} faults have their places")
    unknown = set(options.names) - {fault.name for fault in faults}
    if unknown:
        raise SystemExit(f"mutate: tests/mutate/faults.txt has no {', '.join(sorted(unknown))}")
    if options.names:
        faults = [fault for fault in faults if fault.name in options.names]
    if options.harmful:
        faults = [fault for fault in faults if not fault.is_harmless]
    if options.sample:
        faults = random.SystemRandom().sample(faults, min(options.sample, len(faults)))

    digest = copy_tree()
    configure()
    known = known_results(digest)
    keys = {fault.name: hashlib.sha256(repr((fault.file, fault.before, fault.after, options.seconds)).encode()).hexdigest()
            for fault in faults}
    results = {fault.name: known[keys[fault.name]] for fault in faults if keys[fault.name] in known}

    def keep(fault, result):
        with RESULTS.open("a") as file:
            file.write(json.dumps({"digest": digest, "key": keys[fault.name], "result": result}) + "\n")
        results[fault.name] = result
        tell(fault, result)

    for fault in faults:
        if fault.name in results:
            tell(fault, results[fault.name])
    left = {number: fault for number, fault in enumerate(faults, 1) if fault.name not in results}
    if left:
        print(f"Building with {len(left)} faults, each behind a switch ...", flush=True)
    try:
        together = plant_together(left)
        for number in sorted(together):
            keep(left[number], observed(options.seconds, number))
    finally:
        restore({fault.file for fault in left.values()})
    alone = [fault for number, fault in left.items() if number not in together]
    if options.invent:  # inventions that do not compile are dropped
        faults, alone = [fault for fault in faults if fault.name in results], []
    if alone:
        print(f"Building {len(alone)} more, one at a time ...", flush=True)
    for fault in alone:
        keep(fault, try_alone(fault, options.seconds))
    broken = [fault.name for fault in faults if "trouble" in results[fault.name]]
    summarize([fault for fault in faults if fault.name not in broken], results, options.seconds)
    if broken:
        raise SystemExit(f"mutate: these faults do not compile: {', '.join(broken)}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nmutate: interrupted; what was found is kept, and the next run goes on from there")

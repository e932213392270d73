// Tests that films are read as they were written.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./browser.mjs";
import { FilmWriter, longFilm } from "./film_writer.mjs";

let folder;
let film;
let spans;

async function load(name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(root, "web", "src", "film", `${name}.ts`)],
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  return import(pathToFileURL(outfile));
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "conch-film-"));
  film = await load("film");
  spans = await load("spans");
});
after(() => rm(folder, { recursive: true, force: true }));

const buffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

function small() {
  const writer = new FilmWriter(10, {
    title: "zwölf",
    nodes: [{ name: "17" }, { name: "4", ring: "00ff" }],
    violations: [{ event: 3, property: "ME1", what: "two holders", nodes: [0, 1] }],
  });
  const send = writer.add({
    at: 0,
    word: "send",
    node: 0,
    peer: 1,
    kind: "TOKEN",
    detail: "TOKEN(größe 1)",
    state: "token no",
  });
  writer.add({ at: 5, word: "crash", node: 0, state: "token -" });
  writer.add({
    at: 5,
    word: "receive",
    node: 1,
    peer: 0,
    kind: "TOKEN",
    mate: send,
    state: "token yes",
  });
  writer.add({ at: 9, word: "enter", node: 1 });
  return new film.Film(buffer(writer.bytes()));
}

test("columns, words, kinds and texts", () => {
  const run = small();
  assert.equal(run.count, 4);
  assert.equal(run.header.title, "zwölf");
  assert.deepEqual([...run.at], [0, 5, 5, 9]);
  assert.deepEqual([...run.mate].slice(0, 3), [2, film.none, 0]);
  assert.equal(run.wordOf(1), "crash");
  assert.equal(run.kindOf(2), "TOKEN");
  assert.equal(run.kindOf(3), "");
  assert.equal(run.detailOf(0), "TOKEN(größe 1)");
  assert.equal(run.detailOf(3), "");
  assert.equal(run.named("4"), 1);
  assert.equal(run.named("255"), 1);
  assert.equal(run.header.violations[0].property, "ME1");
});

test("the state of a node is that of its last event that has one", () => {
  const run = small();
  assert.equal(run.stateAt(1, 1), null);
  assert.equal(run.stateAt(1, 3), "token yes");
  assert.equal(run.stateAt(0, 0), "token no");
  assert.equal(run.stateAt(0, 3), "token -");
  assert.equal(run.stateBefore(0, 1), "token no");
  assert.equal(run.firstState(1), "token yes");
  assert.deepEqual([...run.eventsOf(1)], [2, 3]);
});

test("what is no film is refused", () => {
  assert.throws(() => new film.Film(new ArrayBuffer(4)), /too short/);
  assert.throws(() => new film.Film(buffer(Buffer.from("not a film at all"))), /not a film/);
  const later = Buffer.from(small().at.buffer);
  later.writeUInt32LE(2, 8);
  assert.throws(() => new film.Film(buffer(later)), /version 2/);
  const whole = longFilm(200, 5);
  for (let size = 16; size < whole.length; size += 101)
    assert.throws(() => new film.Film(buffer(whole.subarray(0, size))));
});

test("spans are found as by looking at each", () => {
  let seed = 1;
  const random = (below) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % below;
  let met = 0;
  for (let round = 0; round < 30; ++round) {
    const size = random(600);
    const from = Uint32Array.from({ length: size }, () => random(1000)).sort();
    const to = from.map((start) => (random(20) === 0 ? film.none : start + random(60)));
    const all = new spans.Spans(from, to);
    for (let question = 0; question < 30; ++question) {
      const first = random(1000);
      const last = first + random(80);
      const found = [];
      all.meet(first, last, (span) => found.push(span) > 0);
      const expected = [...from.keys()].filter((span) => from[span] <= last && to[span] > first);
      assert.deepEqual(found, expected);
      met += found.length;
    }
  }
  assert.ok(met > 1000);
});

test("a node has a state before its first event", () => {
  const writer = new FilmWriter(2, { nodes: [{ name: "0" }] });
  writer.header.nodes[0].state = writer.text("owner 7");
  writer.add({ at: 0, word: "request", node: 0 });
  writer.add({ at: 1, word: "enter", node: 0, state: "owner -" });
  const run = new film.Film(buffer(writer.bytes()));
  assert.deepEqual(
    [-1, 0, 1].map((event) => run.stateAt(0, event)),
    ["owner 7", "owner 7", "owner -"],
  );
  assert.equal(run.stateBefore(0, 0), "owner 7");
  assert.equal(run.firstState(0), "owner 7");
});

test("who is away, waits, is inside and what is on its way, at each event", async () => {
  const { Run, Away } = await load("run");
  const writer = new FilmWriter(20, { nodes: [{ name: "0" }, { name: "1" }] });
  let at = 0;
  const add = (word, node, more) => writer.add({ at: at++, word, node, ...more });
  add("pause", 0);
  const request = add("request", 1);
  const send = add("send", 1, { peer: 0, kind: "REQUEST" });
  add("duplicate", 1, { peer: 0, kind: "REQUEST" });
  add("receive", 0, { peer: 1, kind: "REQUEST", mate: send });
  const copy = add("receive", 0, { peer: 1, kind: "REQUEST" });
  writer.columns.mate[copy] = send;
  const enter = add("enter", 1, { mate: request });
  writer.columns.mate[enter] = film.none;
  add("crash", 1, { mate: enter });
  add("restart", 1);
  const run = new Run(new film.Film(buffer(writer.bytes())));
  const each = (what) => [...Array(at).keys()].map(what);
  assert.deepEqual(
    each((event) => run.awayAt(0, event)),
    [1, 1, 1, 1, ...Array(5)].map((why) => why && Away.paused),
  );
  assert.deepEqual(
    each((event) => run.awayAt(1, event) === Away.crashed),
    each((event) => event === 7),
  );
  assert.deepEqual(
    each((event) => run.waitingAt(event).length),
    [0, 1, 1, 1, 1, 1, 0, 0, 0],
  );
  assert.deepEqual(
    each((event) => run.insideAt(event).length),
    [0, 0, 0, 0, 0, 0, 1, 0, 0],
  );
  assert.deepEqual(
    each((event) => run.flightsAt(event).length),
    [0, 0, 2, 2, 1, 0, 0, 0, 0],
  );
  assert.deepEqual([...run.entries], [enter]);
});

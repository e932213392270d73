// The playground's WebAssembly does what the program does: every scenario, to the byte.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { conchProgram, root } from "./browser.mjs";

const wasm = join(dirname(conchProgram), "wasm", "playground.wasm");
const needsModule = existsSync(wasm) ? {} : { skip: "there is no module" };
let folder;
let module;
let parts;

async function load(name) {
  const outfile = join(folder, `${name}.mjs`);
  const entry = join(root, "web", "src", "playground", `${name}.ts`);
  await build({ entryPoints: [entry], bundle: true, format: "esm", outfile, logLevel: "silent" });
  return import(pathToFileURL(outfile));
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "conch-module-"));
  parts = { ...(await load("module")), ...(await load("link")), ...(await load("session")) };
  if (existsSync(wasm)) module = await parts.Module.load(await readFile(wasm));
});
after(() => rm(folder, { recursive: true, force: true }));

test("scenarios happen as the program has them", needsModule, async () => {
  const scenarios = join(root, "tests", "scenarios");
  const files = (await readdir(scenarios)).filter((name) => name.endsWith(".txt"));
  assert.ok(files.length > 40, "there are scenarios");
  for (const name of files) {
    // Their outputs are the program's: a test of the program replays them all.
    const text = await readFile(join(scenarios, name), "utf8");
    assert.equal(module.replay(text), text, name);
  }
});

test("what cannot be done is said, and does nothing", needsModule, () => {
  module.begin();
  assert.equal(
    module.run("request 1"),
    "error: there are no nodes yet; begin with nodes N ALGORITHM\n",
  );
  module.run("nodes 3 central");
  const before = JSON.stringify(module.sight());
  for (const line of [
    "release 1",
    "flub",
    "request",
    "request 7",
    "deliver 1 -> 0",
    "nodes 0 central",
    "nodes 3 nobody",
  ])
    assert.match(module.run(line), /^error: /, line);
  assert.equal(JSON.stringify(module.sight()), before);
});

test("a node that finds itself in an impossible state stops", needsModule, () => {
  module.begin();
  for (const line of [
    "nodes 2 naimi-trehel",
    "request 1",
    "deliver 1 -> 0",
    "duplicate 0 -> 1",
    "deliver 0 -> 1",
  ])
    assert.doesNotMatch(module.run(line), /error/);
  module.run("release 1");
  assert.match(module.run("deliver 0 -> 1"), /VIOLATION/);
});

test("a film of the run", needsModule, () => {
  module.begin();
  for (const line of ["nodes 3 naimi-trehel", "request 1", "settle", "crash 2"]) module.run(line);
  const film = Buffer.from(module.film());
  assert.equal(film.subarray(0, 8).toString(), "conchfil");
  const header = JSON.parse(film.subarray(16, 16 + film.readUInt32LE(12)).toString());
  assert.equal(header.events, module.events());
  assert.ok(header.events >= 7, `${header.events} events`);
  assert.equal(header.family, "tree");
});

test("a link is read as it was written", () => {
  const { formatLink, parseLink } = parts;
  const lines = [
    "nodes 3 maekawa-textbook voting grid",
    "deliver 1 -> 0 REQUEST-SHARE",
    "partition 0,2 | 1",
    "# hold 0 -> 1 TOKEN",
    "# let go 0 -> 1 TOKEN",
    "odd ~ line; with 100% _ ! * ü",
    "nodes 3 preempt-aggregation@as-published",
  ];
  for (const at of [0, 3, lines.length]) {
    const written = formatLink({ seed: 7, lines, at });
    assert.match(written, /^#[\w.~!,;:@%*()=&-]*$/);
    assert.deepEqual(parseLink(written), { seed: 7, lines, at });
  }
  for (const other of ["", "#", "#event=3", "#seed=x&run=a", "#seed=1&run=%E0%A4%A"])
    assert.equal(parseLink(other), null);
});

test("undone is as if it had not been done", needsModule, () => {
  const session = new parts.Session(module, () => {});
  session.open(["nodes 4 suzuki-kasami", "request 1", "request 2"]);
  const seen = () =>
    JSON.stringify([session.sight, session.next(), Buffer.from(module.film()).toString("base64")]);
  const path = [seen()];
  while (session.advance()) path.push(seen());
  assert.ok(path.length > 6, `${path.length} steps`);
  for (let i = path.length - 2; i >= 0; --i) {
    session.undo();
    assert.equal(seen(), path[i]);
  }
  for (let i = 1; i < path.length; ++i) {
    session.redo();
    assert.equal(seen(), path[i]);
  }
  assert.ok(!session.canRedo);
});

test("a scenario comes out as it went in", needsModule, async () => {
  const text = await readFile(join(root, "tests", "scenarios", "naimi_trehel.txt"), "utf8");
  const session = new parts.Session(module, () => {});
  assert.equal(session.open(parts.commandsOf(text)), "");
  const scenario = session.scenario();
  assert.equal(module.replay(scenario), scenario);
  assert.deepEqual(parts.commandsOf(scenario), parts.commandsOf(text));
});

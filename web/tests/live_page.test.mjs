// The page of `conch peer --http` with a made-up peer behind it: what it says, and that it can be
// read at every width. live.test.mjs has it beside real peers.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertNoneOverlap,
  assertNoSidewaysScroll,
  assertNotCut,
  becomes,
  needsBrowser,
  openBrowser,
  servePage,
} from "./browser.mjs";

const epoch = 1795063547;
/** As `conch status` prints it: the epoch, and then the count of entries in it. */
const fence = 7709739228606758916n;
const ids = [
  ...["fb0750ba2b311172", "baaf73158dd303c2", "6b7f858c57f0eb6f", "8948c3bbb2e7318a"],
  ...["760a11ba2b311170", "cb7473158dd303c1", "8391858c57f0eb61", "8b4fc3bbb2e73182"],
];
const clusters = ["zurich", "zurich", "zurich", "geneva", "geneva", "geneva", "geneva", "basel"];
const bounds_s = [1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025].concat(
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
);

const part = (member) => ({ member, shared: false, since_s: 7, in_line: 0 });

/** A lock that the first of these members holds, and for which the others wait. */
function lock(name, held, ...waiters) {
  const common = { lock: name, age_s: 7, rate: 4.3, queue: waiters.length };
  const holders = held ? [part(held)] : [];
  const token = held ?? ids[0];
  const given = held ? { fence: String(fence) } : {};
  return { ...common, ...given, holders, waiters: waiters.map(part), token };
}

const locks = [
  lock("deploy", ids[0], ids[1], ids[2], ids[3], ids[5]),
  lock("backup", ids[0]),
  lock("certificates", ids[0]),
  lock("migrate-db", ids[3], ids[4]),
  lock("nightly report", ids[5]),
  lock("cache/eu-west", ids[7]),
  lock("old", null),
];

const member = (id, i) => ({
  ...{ id, address: "tcp:127.0.0.1:4000", guest: true, cluster: clusters[i], lease: "1.8 s" },
  ...{ answers: i !== 6, speaks: "versions 1 to 2", measured: false, process: 100 + i, age_s: 90 },
  ...{ lease_s: 1.8, clients: 3, entries: 1000 * i, handovers: 900 * i, losses: 0 },
});

function group(at, busiest) {
  return {
    ...{ at, took_s: 0.01, period_s: 1, group: "kitchen", algorithm: "naimi-trehel", eps: 0 },
    ...{ epoch, view: 1, asked: ids[3], all_members: true, member_count: ids.length },
    members: ids.map((id, i) => ({ ...member(id, i), entries: 1000 + (at % 1000) * i })),
    locks: { known: 61000, held: 7, waited: 2, waiting: 5 },
    busiest,
  };
}

/** A peer that tells of a group; `busiest` are its locks on the map, and may be changed. */
async function servePeer() {
  const peer = { busiest: locks.slice(0, 6), admin: true };
  const events = (request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const tell = (name, data) =>
      response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    const began = Date.now();
    tell("hello", {
      ...{ version: "0", self: ids[3], group: "kitchen", admin: peer.admin },
      ...{ wait_bounds_s: bounds_s, past: [] },
    });
    const survey = (at, count) => {
      tell("rates", { at, handovers: count, again: 0, waits: bounds_s.map(() => 100 * count) });
      tell("group", group(at, peer.busiest));
    };
    survey(began - 2000, 1);
    survey(began, 2);
    const entered = { at: began, event: "enter", lock: "backup", fence: `${epoch}.4` };
    tell("notes", { left_out: 0, notes: [{ ...entered, lasted_s: 0.2 }] });
  };
  const found = (request, response) => {
    const name = new URL(request.url, "http://peer").searchParams.get("lock");
    const rows = name ? locks.filter((each) => each.lock === name) : locks;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ found: rows.length, from: 0, locks: rows }));
  };
  const { url, stop } = await servePage("live", null, { "/events": events, "/locks": found });
  return Object.assign(peer, { url, stop });
}

async function visit(options = {}) {
  const peer = await servePeer();
  const browser = await openBrowser({ reducedMotion: "reduce", ...options });
  const page = await browser.context.newPage();
  await page.goto(peer.url);
  await page.locator(".member").nth(7).waitFor();
  const done = async () => {
    await page.close();
    await peer.stop();
    await browser.done();
  };
  return { peer, page, done };
}

const row = (page, name) => page.locator(`.rows .lock-row[data-lock="${name}"]`);

test("fences are those that conch prints", needsBrowser, async () => {
  const { page, done } = await visit();
  await row(page, "deploy").click();
  await page.locator(".detail p", { hasText: `fence ${fence} ·` }).waitFor();
  await page.getByLabel("everything at this peer").check();
  const entered = page.locator(".log li", { hasText: "backup: entered" });
  const text = `backup: entered, fence ${fence}, after 200 ms`;
  await becomes(() => entered.locator("span").innerText(), text);
  await done();
});

test("Escape closes the list of keys, and only then the chosen lock", needsBrowser, async () => {
  const { page, done } = await visit();
  const help = page.getByRole("dialog", { name: "Keys" });
  const detail = page.locator(".detail");
  await row(page, "deploy").click();
  await detail.waitFor();
  await page.keyboard.press("?");
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  assert.ok(await detail.isVisible());
  await page.keyboard.press("Escape");
  await detail.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Keys" }).click();
  await help.waitFor();
  await page.mouse.click(4, 4); // beside it
  await help.waitFor({ state: "hidden" });
  await done();
});

test("a lock keeps its colour when the page is loaded again", needsBrowser, async () => {
  const { peer, page, done } = await visit();
  const colours = async () => {
    const found = await page.locator(".followed-lock").evaluateAll((all) =>
      all.map((each) => [each.title, each.style.getPropertyValue("--colour")]));
    assert.equal(new Set(found.map(([, colour]) => colour)).size, found.length);
    return Object.fromEntries(found);
  };
  await becomes(() => page.locator(".followed-lock").count(), 6);
  const before = await colours();
  peer.busiest = [...locks.slice(1, 6), locks[0]].reverse();
  await page.reload();
  await becomes(colours, before);
  // One goes, and another takes its place.
  peer.busiest = locks.slice(1);
  await page.reload();
  await page.locator(".followed-lock", { hasText: "old" }).waitFor();
  const { deploy, ...others } = before;
  await becomes(async () => {
    const { old, ...rest } = await colours();
    return rest;
  }, others);
  await done();
});

test("no label covers another or is cut off", needsBrowser, async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, done } = await visit({ colorScheme });
    await row(page, "deploy").click();
    await page.locator(".member .place", { hasText: "4." }).waitFor();
    for (const width of [800, 950, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForFunction(() => {
        const { clientWidth } = document.querySelector(".map");
        return document.querySelector(".map").viewBox.baseVal.width === clientWidth;
      });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      await assertNoneOverlap(page, ".map text, .bar span, .chart text");
      await assertNotCut(page, ".tile, .tile dd, .queue, .chart-panel header");
      await assertNoSidewaysScroll(page);
    }
    await done();
  }
});

test("what nobody holds cannot be taken away", needsBrowser, async () => {
  const { page, done } = await visit();
  const force = page.locator(".detail").getByRole("button", { name: "Unlock by force" });
  await row(page, "old").click();
  await page.locator(".detail p", { hasText: "free" }).waitFor();
  await becomes(() => force.isDisabled(), true);
  await row(page, "deploy").click();
  await becomes(() => force.isDisabled(), false);
  await done();
});

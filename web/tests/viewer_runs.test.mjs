// The trace viewer as conch serves it: a run of each family of algorithms, and one that breaks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { needsBrowser, openBrowser, startConch } from "./browser.mjs";

let rig;
before(async () => {
  if (!needsBrowser.skip) rig = await openBrowser({ reducedMotion: "reduce" });
});
after(() => rig?.done());

/** Opens what a command shows; `hash` is the part of the address behind it. */
async function view(args, hash = "", context = rig.context) {
  const conch = await startConch(args);
  const page = await context.newPage();
  await page.goto(conch.url + hash);
  await page.waitForFunction(() => window.conchTimings?.opened !== undefined);
  await page.getByText("As text").click();
  const close = async () => {
    await page.close();
    await conch.stop();
  };
  return { page, close };
}

/** Steps until the structure, as text, says so of a node; fails at the end of the run. */
async function stepUntil(page, what) {
  const found = await page.evaluate((pattern) => {
    const viewer = window.conchViewer;
    const says = () => document.querySelector(".structure-list").innerText.split("\n");
    while (!says().some((line) => new RegExp(pattern).test(line))) {
      if (viewer.moment >= viewer.film.count - 1) return false;
      viewer.step(1);
    }
    return true;
  }, what.source);
  assert.ok(found, `the structure never says ${what}`);
}

const families = [
  [
    "naimi-trehel",
    ["sim", "naimi-trehel", "--requests", "3", "--view"],
    /inside, token/,
    /waiting.* next \d/,
  ],
  ["raymond", ["sim", "raymond", "--requests", "3", "--view"], /inside, token/, /holder \d/],
  ["elmp", ["sim", "elmp", "--requests", "3", "--view"], /inside, token/, /next in line \d/],
  [
    "hierarchical",
    ["sim", "preempt-aggregation", "--clusters", "3x3", "--requests", "3", "--view"],
    /inside, token/,
    /queue \d/,
  ],
  ["votes", ["sim", "maekawa", "--requests", "3", "--view"], /inside/, /voted for \d/],
  ["ring", ["sim", "ring", "--requests", "3", "--view"], /inside, token/, /successor \d/],
  [
    "broadcast",
    ["sim", "ricart-agrawala", "--requests", "3", "--view"],
    /inside/,
    /owes a reply \d/,
  ],
  ["central", ["sim", "central", "--requests", "3", "--view"], /inside/, /granted to \d/],
  ["election-ring", ["sim", "chang-roberts", "--view"], /takes part/, /elected \d/],
  ["election", ["sim", "bully", "--view"], /takes part/, /has elected \d/],
];

for (const [family, args, ...sights] of families)
  test(`${family}: its structure is drawn`, needsBrowser, async () => {
    const { page, close } = await view(args);
    for (const sight of sights) await stepUntil(page, sight);
    assert.ok((await page.locator(".node").count()) >= 5);
    assert.ok((await page.locator(".link").count()) > 0);
    await close();
  });

test("a run that breaks is shown at that moment, with its two holders", needsBrowser, async () => {
  const run = ["sim", "central", "--suspect", "holder@100ms", "--nodes", "5", "--view"];
  const { page, close } = await view(run);
  const alert = page.getByRole("alert");
  assert.match(await alert.innerText(), /ME1 two holders: \d .* entered while \d .* was inside/);
  assert.equal(await page.locator(".node.guilty.inside").count(), 2);
  await page.keyboard.press("Home");
  assert.equal(await alert.innerText(), "");
  await page.keyboard.press("v");
  assert.equal(await page.locator(".node.guilty.inside").count(), 2);
  await close();
});

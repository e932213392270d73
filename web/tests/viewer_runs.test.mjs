// The trace viewer as conch serves it: a run of each family of algorithms, and one that breaks.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { becomes, conchProgram, needsBrowser, openBrowser, shot, startConch } from "./browser.mjs";

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
  await page.locator(".structure-list li").first().waitFor();
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

/** A scenario of each family, and what its structure says of some node, one after the other. */
const families = {
  hernane_figure_1_naimi_trehel: [/owner \d/, /inside, token/, /next \d/],
  raymond: [/holder \d/, /inside, token/, /queue \d/],
  hernane_figure_3_elmp: [/parent \d/, /inside, token/, /next in line \d/],
  bertier_figure_4_proxy: [/owner \d/, /inside, token/, /next \d/],
  bertier_figure_7_8_preempt_aggregation: [/inside, token/, /queue \d/],
  muhammad_figure_1_end_to_end: [/replica.*voted for \d/, /way to a replica \d/, /inside, token/],
  sigma: [/replica.*voted for \d/, /inside/],
  maekawa_votes: [/voted for \d/, /inside/, /queue \d/],
  coulouris_figure_15_3_ring: [/successor \d/, /inside, token/],
  coulouris_figure_15_5_ricart_agrawala: [/inside/, /owes a reply \d/],
  coulouris_figure_15_2_central_server: [/granted to \d/, /queue \d/],
  coulouris_figure_15_7_chang_roberts: [/takes part/, /coordinator/, /elected \d/],
  coulouris_figure_15_8_bully: [/takes part/, /has elected \d/],
};

for (const [name, sights] of Object.entries(families))
  test(`${name}: its structure is drawn and its captions are read`, needsBrowser, async () => {
    const { page, close } = await view(["view", name]);
    await becomes(() => page.locator(".caption").innerText(), /./);
    for (const sight of sights) await stepUntil(page, sight);
    await page.locator(".node").nth(2).waitFor();
    await close();
  });

test("a scenario that breaks is stepped to where it does", needsBrowser, async () => {
  const { page, close } = await view(["view", "violation_two_holders_wrong_suspicion"]);
  const alert = page.getByRole("alert");
  await becomes(() => alert.innerText(), "");
  await page.keyboard.press("v");
  await becomes(() => alert.innerText(), /ME1 two holders: \d .* entered while \d .* was inside/);
  await becomes(() => page.locator(".node.guilty.inside").count(), 2);
  await close();
});

test("a run that breaks is shown at that moment, with its two holders", needsBrowser, async () => {
  const run = ["sim", "central", "--suspect", "holder@100ms", "--nodes", "5", "--view"];
  const { page, close } = await view(run);
  const alert = page.getByRole("alert");
  await becomes(() => alert.innerText(), /ME1 two holders: \d .* entered while \d .* was inside/);
  await becomes(() => page.locator(".node.guilty.inside").count(), 2);
  await page.keyboard.press("Home");
  await becomes(() => alert.innerText(), "");
  await page.keyboard.press("v");
  await becomes(() => page.locator(".node.guilty.inside").count(), 2);
  await close();
});

test("a page with its run inside needs no server", needsBrowser, async () => {
  const folder = await mkdtemp(join(tmpdir(), "conch-view-"));
  const file = join(folder, "run.html");
  await promisify(execFile)(conchProgram, ["view", "hernane_figure_1_naimi_trehel", "--out", file]);
  const page = await rig.context.newPage();
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.conchTimings?.opened !== undefined);
  await page.locator(".node").nth(2).waitFor();
  await page.close();
  await rm(folder, { recursive: true });
});

test("pictures for the documentation", needsBrowser, async () => {
  const tree = ["sim", "naimi-trehel", "--nodes", "7", "--requests", "3", "--seed", "4"];
  const clusters = ["sim", "preempt-aggregation", "--clusters", "3x3", "--requests", "3"];
  for (const [name, colorScheme, run, event] of [
    ["viewer", "light", tree, 55],
    ["viewer-dark", "dark", clusters, 60],
  ]) {
    const own = await openBrowser({ colorScheme, reducedMotion: "reduce" });
    const { page, close } = await view([...run, "--view"], `#event=${event}`, own.context);
    await page.getByText("As text").click();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await shot(page, name);
    await close();
    await own.done();
  }
});

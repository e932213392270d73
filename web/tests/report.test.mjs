// The lab report: every figure is drawn, every claim has a verdict, and what can be done with them
// can be done by keys, on a phone and in the dark.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  assertNoSidewaysScroll,
  becomes,
  conchProgram,
  needsBrowser,
  openBrowser,
  phone,
  shot,
} from "./browser.mjs";

const run = promisify(execFile);
let folder;
let report;

/** Runs all experiments, as small as possible. */
before(async () => {
  if (needsBrowser.skip) return;
  folder = await mkdtemp(join(tmpdir(), "conch-report-"));
  await run(conchProgram, ["lab", "report", "--smoke", "--out", folder]);
  report = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
});
after(async () => {
  if (folder) await rm(folder, { recursive: true });
});

/** Opens the page, and waits for its last figure. `done` fails if the page had errors. */
async function open(t, options) {
  const { browser, context, done } = await openBrowser(options);
  t.after(() => browser.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(folder, "report.html")).href);
  const figures = report.experiments.reduce((sum, each) => sum + each.figures.length, 0);
  await page.waitForFunction(
    (count) => document.querySelectorAll("figure .plot svg").length === count,
    figures,
  );
  return { page, done };
}

test("every figure is drawn, with axes and all of its series", needsBrowser, async (t) => {
  const { page, done } = await open(t);
  const drawn = await page.$$eval("figure", (figures) =>
    figures.map((figure) => {
      const svg = figure.querySelector("svg[role=img]");
      return {
        id: figure.id,
        about: svg.getAttribute("aria-label"),
        axes: svg.querySelectorAll(".axis").length,
        ticks: svg.querySelectorAll(".axes text:not(.axis-title)").length,
        titles: [...svg.querySelectorAll(".axis-title")].map((title) => title.textContent),
        series: svg.querySelectorAll("[data-series]").length,
        lines: [...svg.querySelectorAll(".line")].every((line) => line.getAttribute("d")),
        numbers: figure.querySelectorAll("tbody tr").length,
        cut: [...svg.querySelectorAll("text")].filter((text) => {
          const [inner, outer] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
          return inner.left < outer.left - 1 || inner.right > outer.right + 1;
        }).length,
      };
    }));
  const wanted = report.experiments.flatMap(({ experiment, figures }) =>
    figures.map((figure, i) => ({ id: `${experiment}-figure-${i + 1}`, figure })));
  assert.ok(wanted.length > 40);
  assert.deepEqual(drawn.map(({ id }) => id), wanted.map(({ id }) => id));
  drawn.forEach((seen, i) => {
    const { figure, id } = wanted[i];
    assert.ok(seen.about.startsWith(figure.title), id);
    assert.equal(seen.axes, 2, id);
    assert.ok(seen.ticks >= 4, `${id}: ${seen.ticks} ticks`);
    assert.ok(seen.titles.length >= 1 && seen.titles.every((title) => title.length > 2), id);
    assert.equal(seen.series, figure.series.length, id);
    assert.ok(seen.lines, id);
    assert.ok(seen.numbers >= 1, id);
    assert.equal(seen.cut, 0, `${id}: a label is cut off`);
  });
  await done();
});

test("every claim has a verdict, and the overview leads to it", needsBrowser, async (t) => {
  const { page, done } = await open(t);
  const claims = report.experiments.flatMap((experiment) => experiment.claims);
  const badges = await page.$$eval(".claim .verdict", (all) =>
    all.map((badge) => badge.lastChild.textContent));
  assert.deepEqual(badges, claims.map((claim) => claim.verdict));
  const links = await page.$$eval(".index .signs a", (all) =>
    all.map((link) => document.getElementById(link.hash.slice(1)) !== null));
  assert.equal(links.length, claims.length);
  assert.ok(links.every(Boolean));
  const held = claims.filter((claim) => claim.verdict === "holds").length;
  const tally = await page.textContent(".tally");
  assert.match(tally, new RegExp(`${held} of ${claims.length} claims hold`));
  const commands = await page.$$eval(".command code", (all) => all.map((code) => code.textContent));
  const names = report.experiments.map((each) => each.experiment);
  assert.deepEqual(commands, names.map((name) => `conch lab run ${name} --smoke`));
  await page.click(".contents a[href='#dho-cycle']");
  await page.waitForSelector(".contents a[href='#dho-cycle'][aria-current]");
  await done();
});

test("a point says what it is, to the mouse and to keys", needsBrowser, async (t) => {
  const { page, done } = await open(t);
  const plot = page.locator("#elections-figure-1 .plot");
  await plot.locator("svg").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const elections = report.experiments.find((each) => each.experiment === "elections");
  const [{ name, points }] = elections.figures[0].series;
  const said = () => page.textContent("#elections-figure-1 > .sr-only");
  const [, [processes, messages]] = points;
  await becomes(said, new RegExp(`^${name}: ${processes} processes, ${messages} messages`));
  await plot.locator(".tip").waitFor();
  await page.keyboard.press("Escape");
  await plot.locator(".tip").waitFor({ state: "hidden" });
  await plot.locator("[data-series='0'] .mark").first().hover();
  await becomes(() => plot.locator(".tip").textContent(), new RegExp(name));
  await page.locator("#elections-figure-1 .legend button").first().click();
  await page.locator("h1").hover();
  const series = await plot.locator("[data-series]").count();
  await becomes(() => plot.locator(".faded").count(), series - 1);
  const help = page.locator("dialog.help");
  await page.keyboard.press("?");
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Keys" }).click();
  await help.waitFor();
  await page.mouse.click(4, 4); // beside it
  await help.waitFor({ state: "hidden" });
  await done();
});

test("numbers can be taken away as CSV", needsBrowser, async (t) => {
  const { page, done } = await open(t, { acceptDownloads: true });
  await page.locator("#elections > details > summary").click();
  const [kept] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("#elections > details button", { hasText: "Download" }).click(),
  ]);
  assert.equal(kept.suggestedFilename(), "elections.csv");
  assert.equal(
    await readFile(await kept.path(), "utf8"),
    await readFile(join(folder, "elections.csv"), "utf8"),
  );
  await done();
});

test("it fits a phone, and the dark", needsBrowser, async (t) => {
  const { page, done } = await open(t, { viewport: phone, colorScheme: "dark" });
  await assertNoSidewaysScroll(page);
  await page.locator(".contents summary").click();
  await page.click(".contents a[href='#hierarchical']");
  await page.locator("#hierarchical h2").waitFor();
  await done();
});

/** Shows the experiments that take little time, in full size. */
test("a picture for the documentation", needsBrowser, async (t) => {
  const out = join(folder, "whole");
  const cheap = "textbook,elections,hierarchical";
  await run(conchProgram, ["lab", "report", "--only", cheap, "--out", out]);
  const { browser, context, done } = await openBrowser();
  t.after(() => browser.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(out, "report.html")).href);
  await page.waitForSelector("#elections-figure-2 svg");
  await page.locator("#elections-claim-4").evaluate((claim) => claim.scrollIntoView());
  await page.waitForSelector(".contents a[href='#elections'][aria-current]");
  await shot(page, "report");
  await done();
});

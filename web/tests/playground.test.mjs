// Tests the playground as a user does.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assertNoneOverlap,
  assertNoSidewaysScroll,
  becomes,
  chromiumPath,
  openBrowser,
  pagesFolder,
  phone,
  servePage,
  shot,
  startConch,
} from "./browser.mjs";

// A page without the module is much shorter than one with it.
const built =
  chromiumPath() && (await readFile(join(pagesFolder, "playground.html"))).length > 400_000;
const options = built
  ? {}
  : { skip: chromiumPath() ? "there is no module" : "there is no chromium" };
let served;

before(async () => {
  if (built) served = await servePage("playground");
});
after(() => served?.stop());

async function visit(hash = "", context = {}) {
  const browser = await openBrowser(context);
  const page = await browser.context.newPage();
  await page.goto(served.url + hash);
  await page.locator(".playground .viewer").waitFor();
  return { page, ...browser };
}

const member = (page, node) => page.locator(`.member[data-member="${node}"]`);
const item = (page, name) => page.getByRole("menuitem", { name, exact: true });
const script = (page) => page.evaluate(() => conchPlayground.session.lines);
const tells = (page, node) => () => member(page, node).getAttribute("aria-label");
/** Waits until the page's address has the run. */
const linked = (page, part) => page.waitForFunction((text) => location.hash.includes(text), part);

async function choose(page, node, action) {
  await page.locator(`.structure .node[data-node="${node}"]`).click();
  await item(page, action).click();
}

test("conch serves it", options, async () => {
  const conch = await startConch(["playground"]);
  const { context, done } = await openBrowser();
  const page = await context.newPage();
  await page.goto(conch.url);
  await page.locator(".playground .viewer").waitFor();
  await becomes(conch.said, /showing the playground on http:\/\/127\.0\.0\.1:\d+\/ until Ctrl-C/);
  await done();
  await conch.stop();
});

test("Naimi-Trehel to an entry, by clicks; the link has the run", options, async () => {
  const { page, done } = await visit();
  await choose(page, 3, "Request");
  await becomes(tells(page, 3), "3: waits");
  await page.locator(".structure .flight circle").click();
  await item(page, "Deliver").click();
  await page.getByRole("button", { name: "Deliver: TOKEN from 0 to 3" }).click();
  await becomes(tells(page, 3), "3: inside, has the token");
  await page.locator('.structure .node[data-node="3"].inside').waitFor();
  const lines = [
    "nodes 5 naimi-trehel",
    "request 3",
    "deliver 3 -> 0 REQUEST",
    "deliver 0 -> 3 TOKEN",
  ];
  await becomes(() => script(page), lines);

  await linked(page, "deliver_0~3_TOKEN");
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await page.locator('.structure .node[data-node="3"].inside').waitFor();
  await becomes(() => script(page), lines);

  await choose(page, 3, "Release");
  await becomes(tells(page, 3), "3: idle, has the token");
  await page.getByRole("button", { name: "Undo" }).click();
  await becomes(() => script(page), lines);
  await page.getByRole("button", { name: "Redo" }).click();
  await becomes(() => script(page), [...lines, "release 3"]);
  await done();
});

test("a lost token is a violation that nobody overlooks", options, async () => {
  const { page, done } = await visit();
  await page.getByRole("link", { name: "Lose the token" }).click();
  await page.getByText("drop it: nobody will ever enter again").waitFor();
  await page.getByRole("button", { name: "Drop: TOKEN from 0 to 1" }).click();
  const alert = page.locator(".status .broken");
  await alert.getByText("ME2 is violated").waitFor();
  await becomes(
    () => alert.textContent(),
    /deadlock: nothing is in flight, nobody is inside, and these wait: 1/,
  );
  await becomes(() => page.getByRole("button", { name: "Step", exact: true }).isDisabled(), true);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Deliver: TOKEN from 0 to 1" }).waitFor();
  await becomes(() => alert.textContent(), "");
  await done();
});

test("an address that the page was not told of yet is not written over", options, async () => {
  const { page, done } = await visit();
  await page.evaluate(() => {
    location.hash = "#seed=7&run=nodes_4_ring;request_2";
    const buttons = [...document.querySelectorAll("button")];
    buttons.find((button) => button.textContent === "Copy link").click();
  });
  assert.deepEqual(await script(page), ["nodes 4 ring", "request 2"]);
  assert.match(page.url(), /#seed=7&run=nodes_4_ring;request_2$/);
  await page.goBack();
  await page.locator('.member[data-member="4"]').waitFor();
  await becomes(() => script(page), ["nodes 5 naimi-trehel"]);
  await done();
});

test("votes deadlock, and a change of mind undoes the knot", options, async () => {
  const { page, done } = await visit();
  await page.getByRole("link", { name: "Make Maekawa's votes deadlock" }).click();
  await page.getByText("Press Step until nothing is in flight").waitFor();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.locator(".status .broken").getByText("ME2 is violated").waitFor();
  await shot(page, "playground");
  await member(page, 0).click();
  await item(page, "Cancel the request").click();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.locator(".member.inside").first().waitFor();
  await becomes(() => page.locator(".status .broken").textContent(), "");
  await done();
});

test("those that are left recover the lock of one that crashed inside", options, async () => {
  const run = "nodes_3_naimi-trehel;request_1;deliver_1~0_REQUEST;deliver_0~1_TOKEN;request_2";
  const { page, done } = await visit(`#seed=1&run=${run}`);
  await becomes(tells(page, 1), "1: inside, has the token");
  await choose(page, 1, "Crash");
  await choose(page, 1, "The others go on without it");
  await becomes(tells(page, 2), "2: inside, has the token");
  await page.getByText("epoch 2 begins; waiting: 2", { exact: true }).waitFor();
  assert.equal((await script(page)).at(-1), "recover");
  await done();
});

test("crash, hold back, duplicate, part and heal", options, async () => {
  const { page, done } = await visit("#seed=3&run=nodes_4_ricart-agrawala;request_1");
  await page.getByRole("button", { name: "Hold back: REQUEST from 1 to 2" }).click();
  await page.getByRole("button", { name: "To the end" }).click();
  await becomes(() => page.locator(".flights tbody tr").count(), 1);
  await page.getByText("held back", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Duplicate: REQUEST from 1 to 2" }).click();
  await becomes(() => page.locator(".flights tbody tr").count(), 2);
  await member(page, 2).click();
  await item(page, "Cut off from the others").click();
  await page.getByText("parted", { exact: true }).first().waitFor();
  await member(page, 2).click();
  await item(page, "Heal the partition").click();
  await member(page, 2).click();
  await item(page, "Crash").click();
  await becomes(tells(page, 2), "2: crashed");
  await becomes(async () => (await script(page)).slice(-4), [
    "duplicate 1 -> 2 REQUEST",
    "partition 2 | 0,1,3",
    "heal",
    "crash 2",
  ]);
  await done();
});

test("by keyboard alone", options, async () => {
  const { page, done } = await visit();
  await member(page, 2).focus();
  await page.keyboard.press("Enter");
  await becomes(() => page.evaluate(() => document.activeElement.textContent), "Request");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await becomes(tells(page, 2), "2: waits");
  await page.keyboard.press("s");
  await page.keyboard.press("s");
  await becomes(tells(page, 2), "2: inside, has the token");
  await page.keyboard.press("u");
  await becomes(tells(page, 2), "2: waits");
  await page.keyboard.press("Shift+U");
  await becomes(tells(page, 2), "2: inside, has the token");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  const node = page.locator('.structure .node[data-node="2"]');
  await node.focus();
  await page.keyboard.press("Enter");
  await item(page, "Release").waitFor();
  await page.keyboard.press("Escape");
  await becomes(() => page.locator(".menu").isVisible(), false);
  await becomes(() => page.evaluate(() => document.activeElement.getAttribute("data-node")), "2");
  await done();
});

test("another group, a command, and what is wrong with it", options, async () => {
  const { page, done } = await visit();
  await page.getByLabel("Algorithm").selectOption("bully");
  await page.getByRole("spinbutton", { name: "Nodes" }).fill("3");
  await page.getByRole("button", { name: "Begin" }).click();
  await becomes(() => script(page), ["nodes 3 bully"]);
  await member(page, 2).click();
  await item(page, "Crash").click();
  await member(page, 0).click();
  await item(page, "Begin an election").click();
  await page.getByRole("button", { name: "To the end" }).click();
  await becomes(tells(page, 1), "1: coordinator");
  const command = page.getByLabel("A command");
  await command.fill("request 1");
  await command.press("Enter");
  await page.getByText("bully is an election: nobody can request").waitFor();
  await page.getByRole("button", { name: "Scenario" }).click();
  const text = () => page.getByLabel("Scenario").last().inputValue();
  await becomes(text, /^nodes 3 bully\n----\n\ncrash 2\n----\n/);
  await done();
});

test(
  "a run by itself goes on until nothing comes; the past can be looked at",
  options,
  async () => {
    const { page, done } = await visit("#seed=5&run=nodes_4_ring;request_2");
    await page.locator(".run-controls").getByLabel("Speed").selectOption("fast");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".member.inside").waitFor();
    await page.getByText("Nothing to run: no message is in flight.").waitFor();
    await page.keyboard.press("Home");
    await page.getByText("You look at the past.").waitFor();
    await page.getByRole("button", { name: "Go on from here" }).click();
    await becomes(() => script(page), ["nodes 4 ring"]);
    await becomes(() => page.getByRole("button", { name: "Redo" }).isEnabled(), true);
    await done();
  },
);

test("to go on from the past stops the run", options, async () => {
  const { page, done } = await visit("#seed=5&run=nodes_4_ring");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await becomes(async () => (await script(page)).length > 2, true);
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Go on from here" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  assert.deepEqual(await script(page), ["nodes 4 ring"]);
  await done();
});

test("a hint names no button that cannot be pressed", options, async () => {
  const { page, done } = await visit();
  const hint = () => page.locator(".hint").innerText();
  const step = page.getByRole("button", { name: "Step", exact: true });
  await becomes(hint, "Nothing happens by itself: click a node, and choose what it does.");
  assert.ok(await step.isDisabled());
  await choose(page, 3, "Request");
  await becomes(hint, "Click a message to deliver or drop it, or press Step.");
  await page.getByRole("button", { name: "To the end" }).click();
  await becomes(hint, /^Nothing happens by itself/);
  const lively = page.getByLabel("nodes ask, too");
  await lively.check();
  await becomes(hint, "Click a node, and choose what it does, or press Step.");
  await lively.uncheck();
  await becomes(hint, /^Nothing happens by itself/);
  for (const link of await page.locator(".playground-head nav a").all()) {
    await link.click();
    await page.waitForFunction((href) => location.hash === href, await link.getAttribute("href"));
    await becomes(async () => /Step/.test(await hint()) && (await step.isDisabled()), false);
  }
  await done();
});

test("no two controls have the same name", options, async () => {
  const { page, done } = await visit("#seed=1&run=nodes_5_naimi-trehel;request_3");
  const names = await page
    .locator("button, select")
    .evaluateAll((all) =>
      all
        .filter((each) => each.checkVisibility())
        .map((each) => each.ariaLabel ?? each.closest("label")?.innerText ?? each.innerText),
    );
  assert.ok(names.includes("Run") && names.includes("Execute"));
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
  await done();
});

test("the box for a command stays in sight", options, async () => {
  const requests = [0, 1, 2, 3, 4].map((node) => `request_${node}`).join(";");
  const run = `#seed=1&run=nodes_5_maekawa-textbook_voting_grid;${requests}`;
  const { page, done } = await visit(run, { viewport: { width: 1280, height: 720 } });
  const command = page.getByLabel("A command");
  const seen = async () => {
    const { y, height } = await command.boundingBox();
    return y + height <= page.viewportSize().height;
  };
  await becomes(() => page.locator(".flights tbody tr").count().then((rows) => rows > 6), true);
  for (const width of [1100, 1280, 1920]) {
    await page.setViewportSize({ width, height: 720 });
    await becomes(seen, true);
  }
  // What does not fit above it is reached by scrolling.
  const last = page.getByRole("button", { name: /^Drop: / }).last();
  await last.click();
  // Where everything is in one column, the page scrolls, and nothing sticks out of it.
  await page.getByRole("link", { name: "Make Maekawa's votes deadlock" }).click();
  for (const width of [800, 1000]) {
    await page.setViewportSize({ width, height: 720 });
    await assertNoSidewaysScroll(page);
    const room = await page.locator(".structure").boundingBox();
    assert.ok(room.width > width - 40, `the drawing is ${room.width} wide`);
    for (const link of await page.locator(".playground-head nav a").all()) {
      const box = await link.boundingBox();
      assert.ok(box.x + box.width <= width, await link.innerText());
    }
  }
  await done();
});

test("labels in the drawing do not cover one another or the nodes", options, async () => {
  const { page, done } = await visit("", { reducedMotion: "reduce" });
  const what = () => page.locator(".flight").first().locator("title").textContent();
  for (const start of ["Make Maekawa's votes deadlock", "Reverse a path", "Lose the token"]) {
    await page.getByRole("link", { name: start }).click();
    await page.locator(".structure .flight text").first().waitFor();
    await becomes(what, /^(REQUEST|TOKEN) from \d to \d$/);
    await assertNoneOverlap(page, ".flight text, .flight circle, .node .name, .node .note");
  }
  await done();
});

test("fits a phone, in the dark", options, async () => {
  const { page, done } = await visit("#seed=1&run=nodes_5_naimi-trehel;request_3", {
    viewport: phone,
    colorScheme: "dark",
    hasTouch: true,
  });
  await assertNoSidewaysScroll(page);
  await page.locator('.structure .node[data-node="1"]').tap();
  const menu = await page.locator(".menu").boundingBox();
  assert.ok(menu.x >= 0 && menu.x + menu.width <= phone.width, JSON.stringify(menu));
  await item(page, "Request").tap();
  await assertNoSidewaysScroll(page);
  await shot(page, "playground-phone");
  await done();
});

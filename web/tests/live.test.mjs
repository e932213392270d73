// The page of `conch peer --http`, beside real peers, real locks and a peer that is killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  assertNoSidewaysScroll,
  becomes,
  conchProgram,
  needsBrowser,
  openBrowser,
  phone,
  shot,
} from "./browser.mjs";

const token = "a token of this test";
const goodToken = token.replaceAll(" ", "-");

/** Peers and locks of one test, in folders of their own; all end with it. */
class Place {
  children = [];

  async open() {
    this.folder = await mkdtemp(join(tmpdir(), "conch-live."));
    this.tokenFile = join(this.folder, "token");
    await writeFile(this.tokenFile, `${goodToken}\n`, { mode: 0o600 });
  }

  /** The environment of a process of this machine; another machine has other folders. */
  async env(machine) {
    const folder = join(this.folder, machine);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { CONCH_GROUP, ...rest } = process.env;
    return { ...rest, XDG_STATE_HOME: folder };
  }

  async start(machine, args) {
    const child = spawn(conchProgram, args, { env: await this.env(machine) });
    this.children.push(child);
    child.said = "";
    child.ended = once(child, "exit");
    child.stdin.on("error", () => {}); // A dead process does not read.
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        child.said += chunk;
        child.emit("said");
      });
    return child;
  }

  /** Waits until it has said this. */
  async heard(child, words) {
    while (!child.said.includes(words)) {
      assert.equal(child.exitCode, null, `ended: ${child.said}`);
      await Promise.race([once(child, "said"), child.ended]);
    }
    return child;
  }

  async peer(machine, args = []) {
    const child = await this.heard(await this.start(machine, ["peer", ...args]), "is in the group");
    child.url = /http:\/\/[^\s,]+/.exec(child.said)?.[0];
    child.address = /listens on ([^\s,]+)/.exec(child.said)?.[1];
    child.id = /peer ([0-9a-f]+) is in/.exec(child.said)[1];
    child.short = child.id.slice(0, 4);
    return child;
  }

  /** Holds the lock, or waits for it, until `release`. */
  lock(machine, name) {
    return this.start(machine, ["lock", name, "--", "sh", "-c", "echo in; cat"]);
  }
  async hold(machine, name) {
    return this.heard(await this.lock(machine, name), "in\n");
  }
  async release(child) {
    child.stdin.end();
    await child.ended;
  }

  async close() {
    for (const child of this.children) child.stdin.end();
    for (const child of this.children) if (child.exitCode === null) child.kill("SIGTERM");
    await Promise.all(this.children.map((child) => child.ended));
    await rm(this.folder, { recursive: true, force: true });
  }
}

const post = (url, path, headers, body) =>
  fetch(`${url}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });

const row = (page, lock) => page.locator(`.rows .lock-row[data-lock="${lock}"]`);
const tile = (page, name) => page.locator(".tile", { hasText: name }).locator("dd");
const logged = (page, text) => page.locator(".log li", { hasText: text }).first().waitFor();

describe("the live page", { ...needsBrowser, concurrency: false }, () => {
  const place = new Place();
  let browser;
  let page;
  let here;
  let there;

  before(async () => {
    await place.open();
    here = await place.peer("here", [
      ...["--listen", "127.0.0.1:0", "--lease", "2s", "--cluster", "zurich"],
      ...["--http", "127.0.0.1:0", "--http-token-file", place.tokenFile],
    ]);
    there = await place.peer("there", [
      ...["--join", here.address, "--listen", "127.0.0.1:0", "--cluster", "geneva"],
      ...["--http", "127.0.0.1:0"],
    ]);
    browser = await openBrowser();
    page = await browser.context.newPage();
    await page.goto(here.url);
  });
  after(async () => {
    await browser?.done();
    await place.close();
  });

  test("shows the members in their clusters", async () => {
    await page.locator(".member").nth(1).waitFor();
    await becomes(() => page.locator(".cluster-name").allTextContents(), ["geneva", "zurich"]);
    await page.locator(`.member[data-id="${here.id}"].self`).waitFor();
    await becomes(() => tile(page, "members").textContent(), "2");
  });

  test("shows a handover that two conch lock make", async () => {
    await page.getByLabel("everything at this peer").check();
    const holder = await place.hold("here", "deploy");
    await row(page, "deploy").locator(".inside", { hasText: here.short }).waitFor();
    const waiter = await place.lock("there", "deploy");
    await row(page, "deploy").locator(".waiting", { hasText: there.short }).waitFor();
    await row(page, "deploy").click();
    await page.locator(".detail .queue-lines li", { hasText: there.id }).waitFor();
    const moves = Number(await page.locator(".map-box").getAttribute("data-moves"));
    await place.release(holder);
    await row(page, "deploy").locator(".inside", { hasText: there.short }).waitFor();
    await logged(page, `deploy: the token went to ${there.short}`);
    await page.waitForFunction(
      (before) => Number(document.querySelector(".map-box").dataset.moves) > before,
      moves,
    );
    await page.locator(`.member.holds[data-id="${there.id}"]`).waitFor();
    await place.release(waiter);
    await row(page, "deploy").locator(".quiet", { hasText: `free, at ${there.short}` }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".detail").waitFor({ state: "hidden" });
    await page.getByLabel("everything at this peer").uncheck();
  });

  test("finds a lock among many, of which only some are in the page", async () => {
    const names = Array.from({ length: 60 }, (_, i) => `shard/${String(i).padStart(2, "0")}`);
    const holders = await Promise.all(names.map((name) => place.hold("here", name)));
    await page.locator(".locks-panel .count", { hasText: "61 locks known" }).waitFor();
    await page.getByLabel("Order").selectOption("name");
    await row(page, "shard/00").waitFor();
    assert.ok((await page.locator(".rows .lock-row").count()) < 45);
    await page.locator(".lock-scroll").evaluate((element) => (element.scrollTop = 1e6));
    await row(page, "shard/59").waitFor();
    await becomes(() => row(page, "shard/00").count(), 0);
    await page.keyboard.press("/");
    await page.keyboard.type("ARD/4");
    await page.locator(".locks-panel .count", { hasText: "10 locks found" }).waitFor();
    await becomes(() => page.locator(".rows .lock-row").count(), 10);
    await page.getByLabel("Search locks").fill("no such lock");
    await page.locator(".locks-panel .count", { hasText: "0 locks found" }).waitFor();
    await page.getByLabel("Search locks").fill("");
    await page.getByLabel("Order").selectOption("queue");
    await Promise.all(holders.map((holder) => place.release(holder)));
    await tile(page, "locks held").filter({ hasText: /^0 / }).waitFor();
  });

  test("nobody changes anything without the token", async () => {
    const good = { "X-Conch": "1", Authorization: `Bearer ${goodToken}` };
    const status = async (url, path, headers, body) => (await post(url, path, headers, body)).status;
    assert.equal(await status(there.url, "unlock", good, { lock: "deploy" }), 403);
    assert.equal(await status(here.url, "unlock", { "X-Conch": "1" }, { lock: "deploy" }), 401);
    assert.equal(await status(here.url, "unlock", { Authorization: good.Authorization }, {}), 403);
    assert.equal(await status(here.url, "unlock", good, { lock: "" }), 400);
    assert.equal(await status(here.url, "unlock", good, { lock: 7 }), 400);
    assert.equal(await status(here.url, "unlock", good, { lock: "a", more: "b" }), 400);
    assert.equal(await status(here.url, "evict", good, { member: "nobody" }), 400);
    assert.equal(await status(here.url, "evict", good, { member: "1" }), 409);
    const other = await browser.context.newPage();
    await other.goto(there.url);
    await other.locator(".chip", { hasText: "read-only" }).waitFor();
    await other.getByRole("button", { name: "Table" }).click();
    await other.locator(".member-row").nth(1).waitFor();
    assert.equal(await other.getByRole("button", { name: "Evict" }).count(), 0);
    await other.close();
  });

  test("takes a lock from its holder, with the token", async () => {
    const holder = await place.hold("there", "stuck");
    await row(page, "stuck").click();
    await page.getByRole("button", { name: "Unlock by force" }).first().click();
    await page.getByLabel("Token of this peer").fill(goodToken);
    await page.locator("dialog.ask").getByRole("button", { name: "Unlock by force" }).click();
    await page.locator("dialog.ask").waitFor({ state: "hidden" });
    await holder.ended;
    assert.notEqual(holder.exitCode, 0); // It was told.
    await page.keyboard.press("Escape");
  });

  test("evicts a member, with the token", async () => {
    await page.getByRole("button", { name: "Table" }).click();
    const member = page.locator(`[data-member="${there.id}"]`);
    await member.getByRole("button", { name: "Evict" }).click();
    await page.locator("dialog.ask h2", { hasText: there.id }).waitFor();
    await becomes(() => page.getByLabel("Token of this peer").inputValue(), goodToken);
    await page.getByRole("button", { name: "Evict it" }).click();
    await page.locator("dialog.ask").waitFor({ state: "hidden" });
    await place.heard(there, "was out of contact for too long, or was evicted");
    await logged(page, `${there.short} is out`);
    await place.heard(there, "is in the group again");
    await logged(page, `${there.short} has joined, in geneva`);
    await page.getByRole("button", { name: "Map" }).click();
  });

  test("shows that a peer was killed", async () => {
    await page.locator(`.member[data-id="${there.id}"]:not(.away)`).waitFor();
    there.kill("SIGKILL");
    await there.ended;
    await page.locator(".tile.bad", { hasText: "1 silent" }).waitFor();
    await page.locator(`.member.away[data-id="${there.id}"]`, { hasText: "no answer" }).waitFor();
    await logged(page, `${there.short} does not answer`);
    await logged(page, /epoch \d+ with 1 member/);
    await tile(page, "members").filter({ hasText: /^1$/ }).waitFor();
    await page.locator(`.member[data-id="${there.id}"]`).waitFor({ state: "detached" });
  });
});

test("the live page looks right", needsBrowser, async () => {
  const place = new Place();
  await place.open();
  const browser = await openBrowser();
  let enough = false;
  let workers = [];
  try {
    const clusters = ["zurich", "zurich", "zurich", "geneva", "geneva", "geneva", "geneva"];
    const peers = [];
    for (const cluster of [...clusters, "geneva"]) {
      const http = peers.length === 0 ? ["--http", "127.0.0.1:0", "--lease", "2s"] : [];
      peers.push(await place.peer("one", ["--cluster", cluster, "--group", "kitchen", ...http]));
    }
    const victim = peers.at(-1);
    const start = (name, script) =>
      place.start("one", ["lock", "--group", "kitchen", name, "--", "sh", "-c", script]);
    const pictures = [];
    for (const [name, options] of [
      ["live", {}],
      ["live-dark", { colorScheme: "dark" }],
      ["live-phone", { viewport: phone }],
    ]) {
      const context = name === "live" ? browser.context : await browser.browser.newContext(options);
      const page = await context.newPage();
      await page.goto(peers[0].url);
      pictures.push([name, page]);
    }
    const [, first] = pictures[0];
    await first.locator(".member").nth(7).waitFor();
    victim.kill("SIGKILL");
    await logged(first, /epoch \d+ with 7 members/);
    for (const name of ["deploy", "deploy", "deploy", "deploy", "backup", "backup", "certificates"])
      await start(name, "echo in; cat");
    const busy = ["migrate-db", "nightly report", "cache/eu-west"];
    workers = busy.flatMap((name) => [name, name, name, name]).map(async (name) => {
      while (!enough) await (await start(name, "sleep 0.2")).ended;
    });
    await row(first, "deploy").locator("b", { hasText: "3" }).waitFor();
    await row(first, "deploy").click();
    // Some seconds of history, and a token on its way.
    await first.waitForFunction(
      () => document.querySelector(".entries-line")?.getAttribute("d").split("L").length > 12,
    );
    await first.waitForFunction(() => document.querySelectorAll(".trail").length > 1);
    for (const [name, page] of pictures) {
      await shot(page, name);
      await assertNoSidewaysScroll(page);
    }
  } finally {
    enough = true;
    await Promise.allSettled(workers);
    await browser.done();
    await place.close();
  }
});

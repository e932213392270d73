// What the tests of the pages share: a browser, a conch that serves, and pictures of what is seen.
//
//   const { context, done } = await openBrowser();   // of Playwright; any console error is kept
//   const conch = await startConch(["view", "naimi_trehel"]);
//   const page = await context.newPage(); await page.goto(conch.url);
//   await becomes(() => page.locator("h1").innerText(), "Two holders");
//   await shot(page, "viewer");                       // SHOTS/viewer.png
//   await conch.stop(); await done();                 // fails if a page had an error
//
// CHROMIUM is the browser, CONCH the program (build/dev/conch), SHOTS the folder of the pictures
// (build/shots). LATE=300 delays what browsers do a moment later by 300 ms: a test that does not
// wait for it fails at once, and not one day on a busy machine.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const conchProgram = process.env.CONCH ?? join(root, "build", "dev", "conch");
/** Where the built pages are. */
export const pagesFolder = process.env.PAGES ?? join(dirname(conchProgram), "pages");
const shots = process.env.SHOTS ?? join(root, "build", "shots");

export const laptop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** Closes what a failed test has left open; otherwise the run would never end. */
const left = new Set();
after(() => Promise.all([...left].map((close) => close())));

/** The path of chromium, or nothing: then the tests that need it are skipped. It may have been installed after the build. */
export function chromiumPath() {
  const folders = (process.env.PATH ?? "").split(":");
  return [process.env.CHROMIUM, ...folders.map((folder) => join(folder, "chromium"))].find((path) => path && existsSync(path));
}

/** Options for `test` that skip it, with the reason, where there is no browser. */
export const needsBrowser = chromiumPath() ? {} : { skip: "there is no chromium" };

/** Options are those of Playwright's contexts: colorScheme, viewport, reducedMotion ... */
export async function openBrowser(options = {}) {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const close = () => browser.close();
  left.add(close);
  const context = await browser.newContext({
    viewport: laptop,
    deviceScaleFactor: 1,
    colorScheme: "light",
    ...options,
  });
  context.setDefaultTimeout(60000);
  if (process.env.LATE) await context.addInitScript(beLate, Number(process.env.LATE));
  const errors = [];
  context.on("page", (page) => {
    page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
  });
  const done = async () => {
    left.delete(close);
    await close();
    assert.deepEqual(errors, [], "the page had errors");
  };
  return { browser, context, errors, done };
}

/** Runs in the page before all else: delays frames, timers, sizes and the browser's events. */
function beLate(ms) {
  const { requestAnimationFrame, setTimeout, ResizeObserver } = window;
  const later =
    (call) =>
    (...given) =>
      setTimeout(() => call(...given), ms);
  window.requestAnimationFrame = (call) => setTimeout(() => requestAnimationFrame(call), ms);
  window.setTimeout = (call, after = 0, ...given) => setTimeout(call, after + ms, ...given);
  window.ResizeObserver = class extends ResizeObserver {
    constructor(call) {
      super(later(call));
    }
  };
  const listen = EventTarget.prototype.addEventListener;
  const told = ["toggle", "hashchange", "popstate", "scroll", "resize", "close"];
  EventTarget.prototype.addEventListener = function (type, call, ...options) {
    listen.call(this, type, told.includes(type) ? later(call) : call, ...options);
  };
}

/** Waits until `read` returns what is expected, a value or a pattern; or fails with the last. */
export async function becomes(read, expected) {
  for (const end = Date.now() + 30000; ; await pause(20)) {
    const found = await read();
    try {
      if (expected instanceof RegExp) assert.match(found, expected);
      else assert.deepEqual(found, expected);
      return;
    } catch (difference) {
      if (Date.now() > end) throw difference;
    }
  }
}

/** Starts conch, and waits until it has said where it serves; `url` is the first it prints. */
export async function startConch(args, { env = {} } = {}) {
  const child = spawn(conchProgram, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  const stop = async () => {
    left.delete(stop);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
  };
  left.add(stop);
  let said = "";
  const url = await new Promise((resolve, reject) => {
    const listen = (chunk) => {
      said += chunk;
      const found = /http:\/\/[^\s"'<>]+/.exec(said);
      if (found && said.slice(found.index + found[0].length)) resolve(found[0]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    child.on("exit", (code) =>
      reject(new Error(`conch ${args.join(" ")}: ended with ${code}\n${said}`)),
    );
  });
  return { url, child, said: () => said, stop };
}

/**
 * Serves a built page and, as `conch view` does, a film beside it; `answers` are functions of
 * request and response, by path.
 */
export async function servePage(name, film = null, answers = {}) {
  const html = await readFile(join(pagesFolder, `${name}.html`));
  const server = createServer((request, response) => {
    const path = request.url.split("?")[0];
    if (path === "/") response.writeHead(200, { "content-type": "text/html" }).end(html);
    else if (path === "/film" && film)
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(film);
    else if (path in answers) answers[path](request, response);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    left.delete(stop);
    server.closeAllConnections?.();
    return new Promise((resolve) => server.close(resolve));
  };
  left.add(stop);
  return { url: `http://127.0.0.1:${server.address().port}/`, stop };
}

/** A picture for the documentation, or to look at. */
export async function shot(page, name) {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Asserts that nothing sticks out of the page to the right. */
export async function assertNoSidewaysScroll(page) {
  const [wide, seen] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  assert.ok(wide <= seen, `the page is ${wide} wide, and ${seen} are seen`);
}

/** Asserts that the labels and marks that a selector finds overlap at most at their edges. */
export async function assertNoneOverlap(page, selector) {
  const found = await page.evaluate((which) => {
    const shown = [...document.querySelectorAll(which)]
      .filter((each) => each.checkVisibility())
      .map((each) => ({
        text: each.textContent || `a ${each.tagName}`,
        box: each.getBoundingClientRect(),
      }));
    const pairs = shown.flatMap((one, i) => shown.slice(0, i).map((other) => [one, other]));
    return pairs
      .filter(([{ box: a }, { box: b }]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        return wide > 2 && high > 4;
      })
      .map(([one, other]) => `${one.text} covers ${other.text}`);
  }, selector);
  assert.deepEqual(found, []);
}

/** Asserts that the elements show all of their text without scrolling. */
export async function assertNotCut(page, selector) {
  const found = await page.locator(selector).evaluateAll((all) =>
    all
      .filter((each) => each.checkVisibility())
      .filter((each) => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = each;
        return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
      })
      .map((each) => `${each.textContent} is cut off`),
  );
  assert.deepEqual(found, []);
}

// The trace viewer in a browser: what it shows of films that are made here.
import { after, before, test } from "node:test";
import {
  assertNoneOverlap,
  assertNoSidewaysScroll,
  assertNotCut,
  becomes,
  needsBrowser,
  openBrowser,
  phone,
  servePage,
} from "./browser.mjs";
import { FilmWriter, longFilm } from "./film_writer.mjs";

let rig;
before(async () => {
  if (!needsBrowser.skip) rig = await openBrowser({ reducedMotion: "reduce" });
});
after(() => rig?.done());

/** A film in which two nodes are inside at once, at the last event but one. */
function brokenFilm() {
  const writer = new FilmWriter(20, {
    title: "Two holders",
    algorithm: "naimi-trehel",
    family: "tree",
    unit: "step",
    nodes: ["0", "1", "2"].map((name) => ({ name })),
    captions: [
      { event: 0, text: "1 asks 0, who has the token." },
      { event: 4, text: "0 gives it away twice." },
    ],
  });
  const state = (owner, token) => `owner ${owner}, next -, token ${token}, queue {}`;
  let at = 0;
  const message = (word, node, peer, kind, more) =>
    writer.add({ at: at++, word, node, peer, kind, detail: `${kind}(origin 1)`, ...more });
  const first = writer.add({ at: at++, word: "request", node: 1, state: state(0, "no") });
  const asked = message("send", 1, 0, "REQUEST", { state: state("-", "no") });
  message("receive", 0, 1, "REQUEST", { mate: asked, state: state(1, "yes") });
  const given = message("send", 0, 1, "TOKEN", { state: state(1, "no") });
  const again = message("send", 0, 2, "TOKEN");
  const second = writer.add({ at: at++, word: "request", node: 2, state: state(0, "no") });
  message("receive", 1, 0, "TOKEN", { mate: given });
  const enter = (node, request) => {
    const entered = writer.add({ at: at++, word: "enter", node, mate: request, detail: "1.1" });
    writer.columns.mate[entered] = 0xffffffff;
    return entered;
  };
  enter(1, first);
  message("receive", 2, 0, "TOKEN", { mate: again });
  const broken = enter(2, second);
  writer.add({ at: at++, word: "exit", node: 2, mate: broken });
  writer.header.violations.push({
    event: broken,
    property: "ME1",
    what: "two holders: 2 entered while 1 was inside",
    nodes: [1, 2],
  });
  return writer.bytes();
}

/** Opens a film; what is drawn is complete when this returns. */
async function open(film, hash = "", context = rig.context) {
  const server = await servePage("viewer", film);
  const page = await context.newPage();
  const opened = async () => {
    await page.waitForFunction(() => window.conchTimings?.opened !== undefined);
  };
  await page.goto(server.url + hash);
  await opened();
  const now = () => page.locator(".now-what").innerText();
  const close = async () => {
    await page.close();
    await server.stop();
  };
  return { page, server, now, opened, close };
}

test(
  "the arrow keys step, and jumps find entries, captions and the ends",
  needsBrowser,
  async () => {
    const { page, now, close } = await open(brokenFilm());
    await becomes(now, "1 asks");
    await page.keyboard.press("ArrowRight");
    await becomes(now, "1 sends REQUEST(origin 1) to 0");
    await page.keyboard.press("ArrowLeft");
    await becomes(now, "1 asks");
    await page.keyboard.press("n");
    await becomes(now, "1 enters with fence 1.1");
    await becomes(() => page.locator(".caption").innerText(), "0 gives it away twice.");
    await page.keyboard.press("End");
    await becomes(now, "2 leaves");
    await page.keyboard.press("Home");
    await becomes(() => page.locator(".caption").innerText(), "1 asks 0, who has the token.");
    await page.getByRole("button", { name: "Next entry" }).click();
    await becomes(now, "1 enters with fence 1.1");
    await close();
  },
);

test("a violation shows the property and the two holders", needsBrowser, async () => {
  const { page, now, close } = await open(brokenFilm());
  const alert = page.getByRole("alert");
  await becomes(() => alert.innerText(), "");
  await page.keyboard.press("v");
  await becomes(now, "2 enters with fence 1.1");
  await becomes(() => alert.innerText(), /ME1 two holders: 2 entered while 1 was inside/);
  const guilty = () =>
    page
      .locator(".node.guilty.inside")
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-node")).sort());
  await becomes(guilty, ["1", "2"]);
  await page.keyboard.press("ArrowRight");
  await becomes(() => page.locator(".node.guilty").count(), 0);
  await close();
});

test(
  "an event's details have the state before and after, and lead to its mate",
  needsBrowser,
  async () => {
    const { page, now, close } = await open(brokenFilm(), "#event=2");
    const details = page.getByRole("region", { name: "Event" });
    await becomes(() => details.innerText(), /1 sends REQUEST\(origin 1\) to 0/);
    const changed = details.locator("tr.changed");
    await becomes(() => changed.locator("th, td").allInnerTexts(), ["owner", "0", "-"]);
    await details.getByRole("button", { name: "0 receives" }).click();
    await becomes(now, "0 receives REQUEST(origin 1) from 1");
    await page.locator(".node[data-node='1']").press("Enter");
    await becomes(() => details.innerText(), /1 sends REQUEST/);
    await becomes(now, "0 receives REQUEST(origin 1) from 1");
    await close();
  },
);

test("filters hide messages and nodes, also from who steps", needsBrowser, async () => {
  const { page, now, close } = await open(brokenFilm());
  await page.keyboard.press("f");
  await page.keyboard.type("1");
  await page.getByRole("checkbox", { name: /REQUEST/ }).uncheck();
  await page.getByRole("tab", { name: "All events" }).click();
  const rows = page.locator(".row .what");
  await page.waitForFunction(() => document.querySelectorAll(".row").length === 3);
  await becomes(() => rows.allInnerTexts(), [
    "1 asks",
    "1 receives TOKEN(origin 1) from 0",
    "1 enters with fence 1.1",
  ]);
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  await becomes(now, "1 receives TOKEN(origin 1) from 0");
  await page.getByRole("tab", { name: "Filter" }).click();
  await page.getByRole("button", { name: "Show everything", exact: true }).click();
  await page.getByRole("tab", { name: "All events" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".row").length === 11);
  await close();
});

test("the table is searched and gone through by keys", needsBrowser, async () => {
  const { page, now, close } = await open(brokenFilm());
  await page.keyboard.press("/");
  await page.keyboard.type("token");
  await page.waitForFunction(() => document.querySelectorAll(".row").length === 4);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await becomes(now, /TOKEN/);
  await becomes(() => page.locator(".row[aria-selected=true]").count(), 1);
  await close();
});

test("a link opens the same moment, choice and filter again", needsBrowser, async () => {
  const first = await open(brokenFilm());
  await first.page.keyboard.press("v");
  await first.page.locator(".node[data-node='0']").click();
  await first.page.keyboard.press("f");
  await first.page.keyboard.type("0, 2");
  await first.page.waitForFunction(() => /nodes=0%2C%202/.test(location.hash));
  const { hash } = new URL(first.page.url());
  await first.close();
  const second = await open(brokenFilm(), hash);
  await becomes(second.now, "2 enters with fence 1.1");
  await becomes(() => second.page.locator(".details h3").innerText(), /^0 sends TOKEN/);
  await second.page.keyboard.press("f");
  await becomes(() => second.page.getByLabel("Nodes", { exact: true }).inputValue(), "0, 2");
  await second.close();
});

test("playing goes to the end and stops there", needsBrowser, async () => {
  const { page, now, close } = await open(brokenFilm());
  await page.getByLabel("Speed").selectOption("100");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => /2 leaves/.test(document.querySelector(".now").textContent));
  await page.getByRole("button", { name: "Play" }).waitFor();
  await becomes(now, "2 leaves");
  await close();
});

test("the diagram is zoomed, clicked and scrubbed by the pointer", needsBrowser, async () => {
  const { page, now, close } = await open(brokenFilm());
  const canvas = page.locator(".diagram-canvas");
  const box = await canvas.boundingBox();
  const seen = () =>
    page.evaluate(() => [
      window.conchViewer.diagram.window.x0,
      window.conchViewer.diagram.window.x1,
    ]);
  const whole = await seen();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction((length) => {
    const { x0, x1 } = window.conchViewer.diagram.window;
    return x1 - x0 < length;
  }, whole[1] - whole[0]);
  await page.keyboard.press("0");
  await becomes(seen, whole);
  // The place of an event, and the ruler above it.
  const place = (event) =>
    page.evaluate((which) => {
      const { window: view, axis } = window.conchViewer.diagram;
      return [view.px(axis.x(which)), view.y(window.conchViewer.film.node[which])];
    }, event);
  const [x, y] = await place(7);
  await page.mouse.click(box.x + x, box.y + y);
  await becomes(now, "1 enters with fence 1.1");
  const [left] = await place(2);
  await page.mouse.click(box.x + left, box.y + 8);
  await becomes(now, "0 receives REQUEST(origin 1) from 1");
  await close();
});

test("a message on its way is a button", needsBrowser, async () => {
  const { page, close } = await open(brokenFilm(), "#event=2");
  const flight = page.getByRole("button", { name: "REQUEST from 1 to 0" });
  await flight.press("Enter");
  await becomes(() => page.locator(".details h3").innerText(), /^1 sends REQUEST/);
  await close();
});

test("the structure is there as text", needsBrowser, async () => {
  const { page, close } = await open(brokenFilm(), "#event=10");
  await page.getByText("As text").click();
  const lines = () => page.locator(".structure-list li").allInnerTexts();
  await becomes(lines, ["0: owner 1", "1: inside", "2: inside, owner 0"]);
  await close();
});

test("the keys are listed behind ?", needsBrowser, async () => {
  const { page, close } = await open(brokenFilm());
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await becomes(() => dialog.innerText(), /next, previous violation/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await close();
});

test("nothing sticks out on a phone", needsBrowser, async () => {
  const small = await openBrowser({ viewport: phone, hasTouch: true, isMobile: true });
  const { page, close } = await open(brokenFilm(), "#event=10", small.context);
  await assertNoSidewaysScroll(page);
  for (const tab of ["All events", "Filter"]) {
    await page.getByRole("tab", { name: tab }).click();
    await assertNoSidewaysScroll(page);
  }
  await close();
  await small.done();
});

test("what is no film is said to be none", needsBrowser, async () => {
  const server = await servePage("viewer", Buffer.from("this is no film at all"));
  const page = await rig.context.newPage();
  await page.goto(server.url);
  await page.getByRole("alert").getByText("this is not a film").waitFor();
  await page.getByLabel("A film").setInputFiles({
    name: "run.film",
    mimeType: "application/octet-stream",
    buffer: brokenFilm(),
  });
  await page.getByRole("heading", { name: "Two holders" }).waitFor();
  await page.close();
  await server.stop();
});

/** A film of eighteen nodes on a circle, some of which send to the next but one. */
function crowdedFilm() {
  const writer = new FilmWriter(20, {
    title: "Non-End-to-End: requests wait where they meet [Muhammad 2005, fig. 2]",
    command: "conch view muhammad_figure_2_non_end_to_end",
    algorithm: "ricart-agrawala",
    family: "voting",
    unit: "step",
    nodes: Array.from({ length: 18 }, (_, i) => ({ name: String(10 + i) })),
    captions: [
      {
        event: 0,
        text: Array.from({ length: 5 }, (_, i) => `${i + 1} lines are in this caption.`).join("\n"),
      },
    ],
  });
  for (let node = 0; node < 6; ++node)
    writer.add({
      at: node,
      word: "send",
      node,
      peer: node + 2,
      kind: "RESPONSE",
      detail: "RESPONSE",
    });
  return writer.bytes();
}

test("a caption, the title and the command are seen whole", needsBrowser, async () => {
  const { page, close } = await open(crowdedFilm());
  for (const width of [800, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await assertNotCut(page, ".caption, h1, .titles .command");
    await assertNoSidewaysScroll(page);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await close();
});

test("the types of messages do not cover one another or the nodes", needsBrowser, async () => {
  const { page, close } = await open(crowdedFilm());
  for (const event of [2, 4, 5]) {
    await page.evaluate((moment) => window.conchViewer.show(moment), event);
    await becomes(() => page.locator(".flight text").count(), event + 1);
    await assertNoneOverlap(page, ".flight text, .node .name, .node .note");
  }
  await close();
});

test("a million events of a thousand nodes open and are scrubbed", needsBrowser, async (t) => {
  const { page, close } = await open(longFilm(1_000_000, 1000));
  const { opened, stages } = await page.evaluate(() => window.conchTimings);
  t.diagnostic(
    `opened in ${Math.round(opened)} ms, of which ${Math.round(stages.fetched)} to fetch`,
  );
  for (const what of ["scrub", "zoom"]) {
    const frames = await page.evaluate(async (doing) => {
      const viewer = window.conchViewer;
      const { frames } = window.conchTimings;
      frames.length = 0;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const gaps = [];
      for (let i = 0, last = await frame(); i < 60; ++i) {
        if (doing === "scrub") viewer.show(Math.floor((i / 60) * viewer.film.count));
        else viewer.diagram.zoom(i < 30 ? 0.8 : 1.25);
        const now = await frame();
        gaps.push(now - last);
        last = now;
      }
      const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
      return [middle(frames), Math.max(...frames), middle(gaps), Math.max(...gaps)];
    }, what);
    const [drawn, most, gap, longest] = frames.map((ms) => ms.toFixed(1));
    t.diagnostic(`${what}: a drawing takes ${drawn} ms, at most ${most};`);
    t.diagnostic(`${what}: from frame to frame ${gap} ms, at most ${longest}`);
  }
  await page.keyboard.press("End");
  await becomes(() => page.locator(".now").innerText(), /of 999,99\d/);
  await page.keyboard.press("/");
  await page.locator(".row").nth(3).waitFor();
  await close();
});

test("a run in which nothing has happened yet grows", needsBrowser, async () => {
  const header = { nodes: [{ name: "0" }, { name: "1" }] };
  const { page, now, close } = await open(new FilmWriter(1, header).bytes());
  await becomes(now, "Nothing has happened yet.");
  const idle = ["Play", "Step back", "Step forward", "Previous entry", "Next entry"];
  const pressable = () => page.locator(".transport button:visible:enabled").count();
  for (const name of idle) await page.getByRole("button", { name, disabled: true }).waitFor();
  await becomes(pressable, 0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("n");
  await becomes(() => page.locator(".node").count(), 2);
  await page.evaluate(
    (bytes) => {
      const { film } = window.conchViewer;
      window.conchViewer.update(new film.constructor(new Uint8Array(bytes).buffer));
    },
    [...brokenFilm()],
  );
  await becomes(now, "2 leaves");
  await becomes(() => page.locator(".node").count(), 3);
  await page.getByRole("button", { name: "Previous entry", disabled: false }).waitFor();
  await close();
});

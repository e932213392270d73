// The locks as a table with only the visible rows: the peer sorts and searches, and sends these. So
// ten thousand locks cost no more than twenty.
import { h } from "../shared/dom";
import { fetchLocks, type Lock, type Part, type Query, type Window } from "./talk";
import { countText, durationText, plural, rateText, shortId } from "./words";

const row_px = 34;
/** Rows beyond the visible ones, above and below. */
const margin = 8;

const orders = [
  ["queue", "longest queue"],
  ["age", "longest held or waited"],
  ["rate", "most entries"],
  ["name", "name"],
] as const;

const memberChip = (part: Part, word: string) =>
  h("span", { class: `who ${word}`, title: part.member }, shortId(part.member));

export class LockList {
  readonly element: HTMLElement;
  readonly search = h("input", {
    type: "search",
    placeholder: "Search locks",
    "aria-label": "Search locks",
    spellcheck: "false",
    oninput: () => this.restart(),
  });
  private readonly order = h(
    "select",
    { "aria-label": "Order", onchange: () => this.restart() },
    ...orders.map(([value, text]) => h("option", { value }, text)),
  );
  private readonly busy = h("input", { type: "checkbox", onchange: () => this.restart() });
  private readonly count = h("span", { class: "quiet count", role: "status" });
  private readonly rows = h("div", { class: "rows", role: "rowgroup" });
  private readonly scroll = h(
    "div",
    {
      class: "lock-scroll",
      role: "table",
      tabindex: 0,
      "aria-label": "Locks",
      onscroll: () => this.scrolled(),
    },
    h(
      "div",
      { class: "lock-row head", role: "row" },
      ...["lock", "held by", "waiting", "for", "entries/s"].map((name) =>
        h("span", { role: "columnheader" }, name),
      ),
    ),
    this.rows,
  );
  private shown: Window = { found: 0, from: 0, locks: [] };
  private asking = false;
  private askAgain = false;
  private chosen: string | null = null;
  private seen = new Map<string, Row>();

  constructor(private readonly choose: (name: string) => void) {
    this.element = h(
      "section",
      { class: "panel locks-panel", "aria-labelledby": "locks-title" },
      h("header", {}, h("h2", { id: "locks-title" }, "Locks"), this.count),
      h("div", { class: "controls" }, this.search, this.order, h("label", {}, this.busy, "in use")),
      this.scroll,
    );
    new ResizeObserver(() => this.refresh()).observe(this.scroll);
  }

  mark(name: string | null) {
    this.chosen = name;
    this.draw();
  }

  /** Asks one question at a time, and one more afterwards if something has changed. */
  async refresh() {
    if (this.asking) return void (this.askAgain = true);
    this.asking = true;
    do {
      this.askAgain = false;
      const found = await fetchLocks(this.query());
      if (found && !this.askAgain) this.take(found);
    } while (this.askAgain);
    this.asking = false;
  }

  private query(): Query {
    const from = Math.max(0, Math.floor(this.scroll.scrollTop / row_px) - margin);
    const count = Math.ceil(this.scroll.clientHeight / row_px) + 2 * margin;
    const { search, order, busy } = this;
    return { find: search.value.trim(), order: order.value, busy: busy.checked, from, count };
  }

  private restart() {
    this.scroll.scrollTop = 0;
    void this.refresh();
  }

  private scrolled() {
    this.draw();
    void this.refresh();
  }

  private take(found: Window) {
    this.shown = found;
    this.rows.style.height = `${found.found * row_px}px`;
    this.scroll.setAttribute("aria-rowcount", String(found.found + 1));
    const what = this.search.value.trim() ? "found" : this.busy.checked ? "in use" : "known";
    this.count.textContent = `${plural(found.found, "lock")} ${what}`;
    this.draw();
  }

  /** A row stays the same element while it is visible: the user may be about to press it. */
  private draw() {
    const before = this.seen;
    this.seen = new Map();
    this.shown.locks.forEach((lock, i) => {
      const row = before.get(lock.lock) ?? new Row(lock.lock, this.choose);
      row.show(lock, this.shown.from + i, lock.lock === this.chosen);
      this.seen.set(lock.lock, row);
      if (!row.element.isConnected) this.rows.append(row.element);
    });
    for (const [name, row] of before) if (!this.seen.has(name)) row.element.remove();
  }
}

class Row {
  readonly element: HTMLElement;
  private readonly holders = h("span", { role: "cell" });
  private readonly queue = h("span", { role: "cell", class: "queue" });
  private readonly age = h("span", { role: "cell", class: "number" });
  private readonly rate = h("span", { role: "cell", class: "number" });
  private people = "";

  constructor(name: string, choose: (name: string) => void) {
    const button = h("button", { class: "plain", title: name }, name);
    this.element = h(
      "div",
      { role: "row", "data-lock": name, onclick: () => choose(name) },
      h("span", { role: "cell", class: "name" }, button),
      this.holders,
      this.queue,
      this.age,
      this.rate,
    );
  }

  show(lock: Lock, index: number, chosen: boolean) {
    const held = lock.holders.length > 0;
    const words = ["lock-row", held ? "held" : "free", chosen && "chosen"];
    this.element.className = words.filter(Boolean).join(" ");
    this.element.setAttribute("aria-rowindex", String(index + 2));
    this.element.style.top = `${index * row_px}px`;
    this.age.textContent = held || lock.queue > 0 ? durationText(lock.age_s) : "";
    this.rate.textContent = lock.rate > 0 ? rateText(lock.rate) : "";
    const ids = (parts: Part[]) => parts.map((part) => part.member).join(" ");
    const people = `${ids(lock.holders)}/${ids(lock.waiters)}/${lock.queue}/${lock.token}`;
    if (people === this.people) return;
    this.people = people;
    this.holders.replaceChildren(...this.inside(lock));
    this.queue.replaceChildren(...this.waiting(lock));
  }

  private inside(lock: Lock): HTMLElement[] {
    const some = lock.holders.slice(0, 3).map((part) => memberChip(part, "inside"));
    if (lock.holders.length > 3) some.push(h("span", {}, `+${lock.holders.length - 3}`));
    const free = lock.token ? `free, at ${shortId(lock.token)}` : "free";
    return some.length > 0 ? some : [h("span", { class: "quiet" }, free)];
  }

  private waiting(lock: Lock): HTMLElement[] {
    if (lock.queue === 0) return [];
    const some = lock.waiters.slice(0, 2).map((part) => memberChip(part, "waiting"));
    return [h("b", {}, countText(lock.queue)), ...some];
  }
}

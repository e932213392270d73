// The locks as a table of which only what is seen exists: the peer sorts and searches, and sends
// the rows in sight. So ten thousand cost no more than twenty.
import { h } from "../shared/dom";
import { fetchLocks, type Lock, type Part, type Query, type Window } from "./talk";
import { countText, durationText, plural, rateText, shortId } from "./words";

const row_px = 34;
/** Beyond what is seen, above and below. */
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

  /** At most one question at a time, and after it one more if something has changed. */
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

  private draw() {
    const focused = this.rows.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.lock
      : undefined;
    const rows = this.shown.locks.map((lock, i) => this.row(lock, this.shown.from + i));
    this.rows.replaceChildren(...rows);
    this.element.classList.toggle("empty", this.shown.found === 0);
    if (focused === undefined) return;
    const again = rows.find((row) => row.dataset.lock === focused)?.querySelector("button");
    again?.focus({ preventScroll: true });
  }

  private row(lock: Lock, index: number): HTMLElement {
    const held = lock.holders.length > 0;
    const words = ["lock-row", held ? "held" : "free", lock.lock === this.chosen && "chosen"];
    const holders = lock.holders.slice(0, 3).map((part) => memberChip(part, "inside"));
    if (lock.holders.length > 3) holders.push(h("span", {}, `+${lock.holders.length - 3}`));
    const free = lock.token ? `free, at ${shortId(lock.token)}` : "free";
    const busy = held || lock.queue > 0;
    return h(
      "div",
      {
        class: words.filter(Boolean).join(" "),
        role: "row",
        "aria-rowindex": index + 2,
        "data-lock": lock.lock,
        style: `top: ${index * row_px}px`,
        onclick: () => this.choose(lock.lock),
      },
      h(
        "span",
        { role: "cell", class: "name" },
        h("button", { class: "plain", title: lock.lock, "data-lock": lock.lock }, lock.lock),
      ),
      h("span", { role: "cell" }, ...(held ? holders : [h("span", { class: "quiet" }, free)])),
      h("span", { role: "cell", class: "queue" }, ...this.waiters(lock)),
      h("span", { role: "cell", class: "number" }, busy ? durationText(lock.age_s) : ""),
      h("span", { role: "cell", class: "number" }, lock.rate > 0 ? rateText(lock.rate) : ""),
    );
  }

  private waiters(lock: Lock): HTMLElement[] {
    if (lock.queue === 0) return [];
    const some = lock.waiters.slice(0, 2).map((part) => memberChip(part, "waiting"));
    return [h("b", {}, countText(lock.queue)), ...some];
  }
}

// All events as text. Only the rows in sight are in the page, so that a million of them scroll.
import type { Film } from "../film/film";
import { sentence, when } from "../film/words";
import { h } from "../shared/dom";
import type { Sieve } from "./filter";

const rowHeight = 28;
/** Browsers do not make elements as tall as a million rows would be. */
const tallest = 8_000_000;

export class EventTable {
  readonly element: HTMLElement;
  private readonly scroller = h("div", {
    class: "table-scroll",
    tabindex: 0,
    role: "grid",
    "aria-label": "Events",
    "aria-colcount": 3,
  });
  private readonly space = h("div", { class: "table-space", role: "presentation" });
  private readonly search = h("input", {
    type: "search",
    placeholder: "Find in the events",
    "aria-label": "Find in the events",
  });
  private readonly count = h("span", { class: "quiet", role: "status" });
  private film: Film | null = null;
  private sieve!: Sieve;
  /** The events that are shown; null for all. */
  private shown: Uint32Array | null = null;
  private moment = 0;
  private searching = 0;

  constructor(private readonly onEvent: (event: number) => void) {
    this.scroller.append(this.space);
    this.element = h(
      "section",
      { class: "events", "aria-label": "All events" },
      h("div", { class: "events-head" }, this.search, this.count),
      this.scroller,
    );
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.refilter());
    new ResizeObserver(() => this.draw()).observe(this.scroller);
  }

  show(film: Film, sieve: Sieve): void {
    this.film = film;
    this.sieve = sieve;
    this.refilter();
  }

  focus(): void {
    this.search.focus();
  }

  choose(event: number): void {
    this.moment = event;
    if (!this.element.offsetParent) return;
    const index = this.indexOf(event);
    const height = this.scroller.clientHeight;
    const top = this.top(index);
    if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height - rowHeight)
      this.scroller.scrollTop = top - height / 2;
    this.draw();
  }

  private rows(): number {
    return this.shown ? this.shown.length : (this.film?.count ?? 0);
  }

  private eventAt(index: number): number {
    return this.shown ? this.shown[index] : index;
  }

  /** The last row that is not after an event. */
  private indexOf(event: number): number {
    if (!this.shown) return event;
    let low = 0;
    let high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.shown[middle] <= event) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Where a row is: with very many of them, the scroll bar is coarser than the rows. */
  private top(index: number): number {
    const all = this.rows() * rowHeight;
    return all <= tallest
      ? index * rowHeight
      : (index / Math.max(1, this.rows() - 1)) * (tallest - this.scroller.clientHeight);
  }

  private first(): number {
    const all = this.rows() * rowHeight;
    const at = this.scroller.scrollTop;
    if (all <= tallest) return Math.floor(at / rowHeight);
    return Math.round((at / Math.max(1, tallest - this.scroller.clientHeight)) * (this.rows() - 1));
  }

  /** Searches in pieces, so that the page stays responsive. */
  private refilter(): void {
    const film = this.film;
    if (!film) return;
    const turn = ++this.searching;
    const wanted = this.search.value.trim().toLowerCase();
    if (wanted === "" && this.sieve.all) {
      this.settle(null);
      return;
    }
    const found: number[] = [];
    let event = 0;
    const piece = () => {
      if (turn !== this.searching) return;
      const until = performance.now() + 10;
      for (; event < film.count; ++event) {
        if (event % 256 === 0 && performance.now() > until) break;
        if (!this.sieve.passes(event)) continue;
        if (wanted === "" || sentence(film, event).toLowerCase().includes(wanted))
          found.push(event);
      }
      this.settle(Uint32Array.from(found));
      if (event < film.count) setTimeout(piece, 0);
    };
    piece();
  }

  private settle(shown: Uint32Array | null): void {
    this.shown = shown;
    const rows = this.rows();
    this.count.textContent = `${rows.toLocaleString("en")} ${rows === 1 ? "event" : "events"}`;
    this.scroller.setAttribute("aria-rowcount", String(rows));
    this.space.style.height = `${Math.min(tallest, Math.max(1, rows * rowHeight))}px`;
    this.draw();
  }

  private draw(): void {
    const film = this.film;
    const height = this.scroller.clientHeight;
    if (!film || height === 0) return;
    const first = Math.max(0, this.first() - 2);
    const last = Math.min(this.rows() - 1, first + Math.ceil(height / rowHeight) + 4);
    const broken = new Set(film.header.violations.map((violation) => violation.event));
    const begin = this.rows() * rowHeight <= tallest ? first * rowHeight : this.scroller.scrollTop;
    const rows: HTMLElement[] = [];
    for (let index = first; index <= last; ++index) {
      const event = this.eventAt(index);
      const now = event === this.moment;
      rows.push(
        h(
          "div",
          {
            class: `row${now ? " now" : ""}${broken.has(event) ? " broken" : ""}`,
            role: "row",
            "aria-rowindex": index + 1,
            "aria-selected": now ? "true" : "false",
            style: `top:${begin + (index - first) * rowHeight}px`,
            onclick: () => this.onEvent(event),
          },
          h("span", { role: "gridcell", class: "number" }, String(event + 1)),
          h("span", { role: "gridcell", class: "time" }, when(film, event)),
          h("span", { role: "gridcell", class: "what" }, sentence(film, event).slice(0, 200)),
        ),
      );
    }
    this.space.replaceChildren(...rows);
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 1);
    const by: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = by[event.key];
    if (step === undefined || this.rows() === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const index = Math.max(0, Math.min(this.rows() - 1, this.indexOf(this.moment) + step));
    this.onEvent(this.eventAt(index));
  }
}

// The space-time diagram: a line for each node, time from left to right. One canvas lies on
// another, so that moving the moment does not draw the run again.
import type { Film } from "../../film/film";
import type { Run } from "../../film/run";
import { sentence } from "../../film/words";
import { h } from "../../shared/dom";
import type { Sieve } from "../filter";
import { readPalette } from "../palette";
import { Axis, type AxisMode } from "./axis";
import { drawBase } from "./base";
import { Density } from "./density";
import { Gestures } from "./gestures";
import { arrowAt, type Arrow } from "./messages";
import { drawOverlay, type Chosen } from "./overlay";
import { detailed, seen, spot, type Sheet } from "./sheet";
import { ruler, Window } from "./window";

export interface DiagramHooks {
  /** An event was clicked. */
  onEvent: (event: number) => void;
  /** A node's name was clicked. */
  onNode: (node: number) => void;
  /** The moment was dragged, or a place without an event clicked. */
  onMoment: (event: number) => void;
  /** Another part of the run is visible. */
  onWindow: (x0: number, x1: number) => void;
  /** How long a drawing took. */
  onFrame: (ms: number) => void;
}

export class Diagram {
  readonly element: HTMLElement;
  readonly window = new Window();
  axis!: Axis;
  private readonly under = h("canvas", { "aria-hidden": "true" });
  private readonly over = h("canvas", {
    class: "diagram-canvas",
    tabindex: 0,
    role: "img",
    "aria-label":
      "Space-time diagram. The arrow keys step through it; the table of all events says the same.",
  });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly watcher: ResizeObserver;
  private sheet: Sheet | null = null;
  private density!: Density;
  private chosen: Chosen | null = null;
  private arrows: Arrow[] = [];
  private stale = { base: true, scheduled: false };
  /** Which part is shown, also after the panel's size has changed. */
  private fitted: "beginning" | "all" | "no" = "beginning";

  constructor(private readonly hooks: DiagramHooks) {
    this.element = h("div", { class: "diagram" }, this.under, this.over, this.tip);
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(this.element);
    new Gestures(this.over, {
      pan: (dx, dy) => this.change(() => this.window.pan(dx, dy)),
      zoom: (factor, x) => this.change(() => this.window.zoom(factor, x)),
      zoomRows: (factor, y) => this.change(() => this.window.zoomRows(factor, y)),
      click: (x, y) => this.clicked(x, y),
      hover: (x, y) => this.hovered(x, y),
      leave: () => (this.tip.hidden = true),
      scrubs: (x, y) => y < ruler && x > this.window.labels,
      scrub: (x) => this.hooks.onMoment(this.axis.nearest(this.window.x(x))),
    });
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  show(film: Film, run: Run, sieve: Sieve, mode: AxisMode, keep = false): void {
    const old = this.sheet;
    if (!keep) this.fitted = "beginning";
    if (old?.film !== film || !this.density) this.density = new Density(film, run);
    if (old?.film !== film || this.axis?.mode !== mode) this.axis = new Axis(film, mode);
    this.sheet = {
      film,
      run,
      axis: this.axis,
      window: this.window,
      sieve,
      palette: readPalette(this.element),
    };
    this.density.prepare(this.axis, sieve);
    const longest = Math.max(
      2,
      ...film.header.nodes.slice(0, 2000).map((node) => node.name.length),
    );
    this.window.labels = Math.min(112, 34 + 7 * longest);
    if (this.fitted !== "no") this.refit();
    else if (old?.axis.mode !== mode) this.fit();
    else this.window.keep(this.axis, sieve.rows.length);
    this.changed();
  }

  /** Shows everything. */
  fit(): void {
    if (!this.sheet) return;
    this.fitted = "all";
    this.refit();
    this.changed();
  }

  private refit(): void {
    const rows = this.sheet!.sieve.rows.length;
    if (this.fitted === "beginning") this.window.begin(this.axis, rows);
    else this.window.fit(this.axis, rows);
  }

  zoom(factor: number): void {
    const { window } = this;
    const now =
      this.chosen && this.sheet!.film.count > 0
        ? window.px(this.axis.x(this.chosen.moment.event))
        : -1;
    const middle =
      now > window.labels && now < window.width ? now : window.labels + window.plot / 2;
    this.change(() => window.zoom(factor, middle));
  }

  zoomRows(factor: number): void {
    this.change(() => this.window.zoomRows(factor, ruler + this.window.body / 2));
  }

  /** Sets the part that is seen. */
  look(x0: number, x1: number): void {
    this.change(() => {
      this.window.x0 = x0;
      this.window.x1 = x1;
      this.window.clamp();
    });
  }

  /** Shows a moment; where it is out of sight, the window follows. */
  choose(chosen: Chosen): void {
    this.chosen = chosen;
    const { film, sieve } = this.sheet!;
    if (film.count > 0 && this.window.width > 0) {
      const row = sieve.rowOf[film.node[chosen.moment.event]];
      const top = this.window.top;
      if (row >= 0 && this.window.rowHeight >= 5) this.window.revealRow(row);
      if (this.window.reveal(this.axis.x(chosen.moment.event)) || top !== this.window.top) {
        if (this.fitted === "beginning") this.fitted = "no";
        this.changed();
      }
    }
    this.invalidate(false);
  }

  /** Draws again with the current colours. */
  recolour(): void {
    if (this.sheet) this.sheet = { ...this.sheet, palette: readPalette(this.element) };
    this.invalidate(true);
  }

  private change(how: () => void): void {
    if (!this.sheet) return;
    this.fitted = "no";
    how();
    this.changed();
  }

  private changed(): void {
    this.invalidate(true);
    this.hooks.onWindow(this.window.x0, this.window.x1);
  }

  private resized(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.window.width = width;
    this.window.height = height;
    const scale = devicePixelRatio;
    for (const canvas of [this.under, this.over]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    if (!this.sheet) return;
    if (this.fitted === "no") this.window.clamp();
    else this.refit();
    this.changed();
    if (this.chosen) this.choose(this.chosen);
    this.draw();
  }

  private invalidate(base: boolean): void {
    this.stale.base ||= base;
    if (this.stale.scheduled) return;
    this.stale.scheduled = true;
    requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.stale.scheduled = false;
    if (!this.sheet || !this.chosen || this.window.width === 0) return;
    const begin = performance.now();
    if (this.stale.base) this.arrows = drawBase(this.context(this.under), this.sheet, this.density);
    this.stale.base = false;
    drawOverlay(this.context(this.over), this.sheet, this.chosen);
    this.hooks.onFrame(performance.now() - begin);
  }

  private context(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext("2d")!;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    return context;
  }

  /** The event nearest to a point, a few pixels away at most. */
  private eventAt(x: number, y: number): number {
    const sheet = this.sheet!;
    const reach = 9;
    const first = this.axis.first(this.window.x(x - reach));
    const last = Math.min(this.axis.last(this.window.x(x + reach)), first + 20 * detailed);
    let best = -1;
    let least = reach;
    for (let event = first; event <= last; ++event) {
      if (!sheet.sieve.passes(event)) continue;
      const at = spot(sheet, event);
      if (!at) continue;
      const distance = Math.hypot(at.x - x, at.y - y);
      if (distance < least) {
        least = distance;
        best = event;
      }
    }
    if (best >= 0) return best;
    const arrow = arrowAt(this.arrows, x, y);
    return arrow ? arrow.send : -1;
  }

  private clicked(x: number, y: number): void {
    if (!this.sheet || this.sheet.film.count === 0) return;
    const node = this.sheet.sieve.rows[this.window.row(y)];
    if (x <= this.window.labels) {
      if (y > ruler && node !== undefined) this.hooks.onNode(node);
      return;
    }
    const event = y >= ruler ? this.eventAt(x, y) : -1;
    if (event >= 0) this.hooks.onEvent(event);
    else this.hooks.onMoment(this.axis.nearest(this.window.x(x)));
  }

  private hovered(x: number, y: number): void {
    if (!this.sheet || this.sheet.film.count === 0 || y < ruler) {
      this.tip.hidden = true;
      return;
    }
    const [first, last] = seen(this.sheet);
    const close = last - first <= 20 * detailed;
    const event = close && x > this.window.labels ? this.eventAt(x, y) : -1;
    const node = this.sheet.sieve.rows[this.window.row(y)];
    const text =
      event >= 0
        ? sentence(this.sheet.film, event).slice(0, 160)
        : x <= this.window.labels && node !== undefined
          ? this.nodeTip(node)
          : "";
    this.tip.hidden = text === "";
    this.tip.textContent = text;
    this.over.style.cursor = event >= 0 ? "pointer" : "";
    const left = Math.min(x + 14, this.window.width - this.tip.offsetWidth - 6);
    const above = y + 18 + this.tip.offsetHeight > this.window.height;
    const top = above ? y - this.tip.offsetHeight - 10 : y + 18;
    this.tip.style.transform = `translate(${Math.max(4, left)}px, ${top}px)`;
  }

  private nodeTip(node: number): string {
    const { name, cluster, site } = this.sheet!.film.header.nodes[node];
    const places = [
      cluster !== undefined && `cluster ${cluster}`,
      site !== undefined && `site ${site}`,
    ];
    return [name, ...places.filter(Boolean)].join(", ");
  }
}

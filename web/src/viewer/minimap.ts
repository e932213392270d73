// The whole run in one line, to scrub in: how much happens when, where a property is broken, and
// which part the diagram shows. The control is a range input, for fingers, keys and screen readers.
import { none, type Film } from "../film/film";
import type { Run } from "../film/run";
import { h } from "../shared/dom";
import type { Axis } from "./diagram/axis";
import { onScheme, readPalette } from "./palette";

const steps = 100_000;

export class Minimap {
  readonly element: HTMLElement;
  readonly input = h("input", {
    type: "range",
    min: 0,
    max: steps,
    value: 0,
    step: "any",
    "aria-label": "The moment",
    class: "minimap-input",
  });
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly seen = h("div", { class: "minimap-window", "aria-hidden": "true" });
  private readonly watcher: ResizeObserver;
  private readonly calm: () => void;
  private film: Film | null = null;
  private run!: Run;
  private axis!: Axis;

  constructor(onMoment: (event: number) => void) {
    this.element = h("div", { class: "minimap" }, this.canvas, this.seen, this.input);
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.element);
    this.calm = onScheme(() => this.draw());
    this.input.addEventListener("input", () => {
      const x =
        this.axis.begin + (Number(this.input.value) / steps) * (this.axis.end - this.axis.begin);
      onMoment(this.axis.nearest(x));
    });
  }

  dispose(): void {
    this.watcher.disconnect();
    this.calm();
  }

  show(film: Film, run: Run, axis: Axis): void {
    this.film = film;
    this.run = run;
    this.axis = axis;
    this.draw();
  }

  choose(event: number, text: string): void {
    if (!this.film || this.film.count === 0) return;
    this.input.value = String(this.share(this.axis.x(event)) * steps);
    this.input.setAttribute("aria-valuetext", text);
  }

  look(x0: number, x1: number): void {
    if (!this.axis) return;
    const from = Math.max(0, this.share(x0));
    const to = Math.min(1, this.share(x1));
    this.seen.style.left = `${from * 100}%`;
    this.seen.style.width = `${Math.max(0.4, (to - from) * 100)}%`;
    this.seen.hidden = from <= 0 && to >= 1;
  }

  private share(x: number): number {
    return (x - this.axis.begin) / (this.axis.end - this.axis.begin || 1);
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.film || width === 0) return;
    const scale = devicePixelRatio;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const context = this.canvas.getContext("2d")!;
    context.scale(scale, scale);
    const palette = readPalette(this.element);
    const counts = this.histogram(width);
    const largest = Math.max(1, ...counts);
    context.fillStyle = palette.message;
    context.globalAlpha = 0.55;
    const few = this.film.count < width / 2;
    for (let px = 0; px < width; ++px) {
      if (counts[px] === 0) continue;
      if (few) {
        context.fillRect(px, height / 2 - 4, 1, 8);
        continue;
      }
      const tall = Math.max(2, (height - 12) * (Math.log1p(counts[px]) / Math.log1p(largest)));
      context.fillRect(px, height - 7 - tall, 1, tall);
    }
    context.globalAlpha = 1;
    context.fillStyle = palette.inside;
    this.drawVisits(context, width, height);
    context.fillStyle = palette.accent;
    for (const caption of this.film.header.captions)
      if (caption.event < this.film.count)
        context.fillRect(Math.round(this.share(this.axis.x(caption.event)) * (width - 2)), 0, 2, 4);
    context.fillStyle = palette.danger;
    for (const violation of this.film.header.violations)
      if (violation.event < this.film.count)
        context.fillRect(
          Math.round(this.share(this.axis.x(violation.event)) * (width - 3)),
          0,
          3,
          height,
        );
  }

  private drawVisits(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { visits } = this.run;
    const px = (event: number) => this.share(this.axis.x(event)) * (width - 1);
    let drawn = -1;
    for (let visit = 0; visit < visits.count; ++visit) {
      const begin = px(visits.from[visit]);
      const end = visits.to[visit] === none ? width : px(visits.to[visit]);
      if (end <= drawn) continue;
      context.fillRect(begin, height - 6, Math.max(1, end - begin), 3);
      drawn = Math.max(begin + 1, end);
    }
  }

  private histogram(width: number): Uint32Array {
    const counts = new Uint32Array(width);
    const scale = (width - 1) / (this.axis.end - this.axis.begin || 1);
    const { count } = this.film!;
    for (let event = 0; event < count; ++event)
      ++counts[((this.axis.x(event) - this.axis.begin) * scale) | 0];
    return counts;
  }
}

// Where too many events fall into a pixel to be drawn one by one: how many there are, as an image,
// a row a node (or several nodes), with the critical sections on top. Counts of the whole run are
// kept coarsely, by node and slice of time, so that a view of everything need not look at
// everything again.
import { none, type Film } from "../../film/film";
import type { Run } from "../../film/run";
import type { Sieve } from "../filter";
import { rgb, type Palette } from "../palette";
import type { Axis } from "./axis";
import type { Window } from "./window";

/** Of the coarse counts, all rows together. */
const cells = 1 << 20;
/** From how many events on the coarse counts are used. */
const many = 150_000;

function slicesOf(sieve: Sieve): number {
  return Math.max(64, Math.min(4096, Math.floor(cells / Math.max(1, sieve.rows.length))));
}

const waits = 1;
const inside = 2;

export class Density {
  private readonly canvas = document.createElement("canvas");
  private coarse: { axis: Axis; sieve: Sieve; counts: Uint16Array } | null = null;

  constructor(
    private readonly film: Film,
    private readonly run: Run,
  ) {}

  /** Counts ahead of the first drawing. */
  prepare(axis: Axis, sieve: Sieve): void {
    if (this.film.count > many) this.coarseCounts(axis, sieve);
  }

  draw(
    context: CanvasRenderingContext2D,
    axis: Axis,
    window: Window,
    sieve: Sieve,
    palette: Palette,
  ): void {
    const first = window.firstRow();
    const rows = window.lastRow() - first + 1;
    // Several rows share a line of pixels when there are more of them.
    const lines = Math.min(rows, Math.ceil(window.body));
    const width = Math.ceil(window.plot);
    if (rows <= 0 || width <= 0) return;
    const lineOf = (row: number) => (((row - first) * lines) / rows) | 0;
    const counts = new Uint32Array(width * lines);
    const marks = new Uint8Array(width * lines);
    this.count(counts, width, lineOf, first, rows, axis, window, sieve);
    this.mark(marks, width, lineOf, first, rows, axis, window, sieve);
    this.paint(counts, marks, width, lines, palette);
    context.imageSmoothingEnabled = false;
    const top = window.y(first) - window.rowHeight / 2;
    const height = (rows * window.rowHeight) / lines;
    if (height < 5) {
      context.drawImage(
        this.canvas,
        0,
        0,
        width,
        lines,
        window.labels,
        top,
        width,
        rows * window.rowHeight,
      );
      return;
    }
    const bar = Math.min(height * 0.7, 22);
    for (let line = 0; line < lines; ++line) {
      const y = top + line * height + (height - bar) / 2;
      context.drawImage(this.canvas, 0, line, width, 1, window.labels, y, width, bar);
    }
  }

  private count(
    counts: Uint32Array,
    width: number,
    lineOf: (row: number) => number,
    firstRow: number,
    rows: number,
    axis: Axis,
    window: Window,
    sieve: Sieve,
  ): void {
    const { film } = this;
    const from = axis.first(window.x0);
    const to = axis.last(window.x1);
    const scale = width / (window.x1 - window.x0);
    if (to - from > many) {
      const coarse = this.coarseCounts(axis, sieve);
      const slices = slicesOf(sieve);
      const slice = (axis.end - axis.begin) / slices || 1;
      if (slice * scale <= 2) {
        for (let row = firstRow; row < firstRow + rows; ++row) {
          const line = lineOf(row) * width;
          const begin = Math.max(0, Math.floor((window.x0 - axis.begin) / slice));
          for (let s = begin; s < slices; ++s) {
            const count = coarse[row * slices + s];
            if (count === 0) continue;
            const px = ((axis.begin + (s + 0.5) * slice - window.x0) * scale) | 0;
            if (px >= width) break;
            if (px >= 0) counts[line + px] += count;
          }
        }
        return;
      }
    }
    for (let event = from; event <= to; ++event) {
      const row = sieve.rowOf[film.node[event]] - firstRow;
      if (!(row >= 0 && row < rows) || !sieve.passes(event)) continue;
      const px = ((axis.x(event) - window.x0) * scale) | 0;
      if (px < width) ++counts[lineOf(row + firstRow) * width + px];
    }
  }

  private mark(
    marks: Uint8Array,
    width: number,
    lineOf: (row: number) => number,
    firstRow: number,
    rows: number,
    axis: Axis,
    window: Window,
    sieve: Sieve,
  ): void {
    const { film, run } = this;
    const from = Math.max(0, axis.first(window.x0) - 1);
    const to = axis.last(window.x1);
    const scale = width / (window.x1 - window.x0);
    for (const [spans, value] of [
      [run.waits, waits],
      [run.visits, inside],
    ] as const)
      spans.meet(from, to, (span) => {
        const event = spans.from[span];
        const row = sieve.rowOf[film.node[event]] - firstRow;
        if (!(row >= 0 && row < rows) || !sieve.passes(event)) return true;
        const end = spans.to[span] === none ? axis.end : axis.x(spans.to[span]);
        const line = lineOf(row + firstRow) * width;
        const begin = Math.max(0, ((axis.x(event) - window.x0) * scale) | 0);
        const last = Math.min(width - 1, ((end - window.x0) * scale) | 0);
        for (let px = begin; px <= last; ++px) marks[line + px] = value;
        return true;
      });
  }

  private paint(
    counts: Uint32Array,
    marks: Uint8Array,
    width: number,
    lines: number,
    palette: Palette,
  ): void {
    this.canvas.width = width;
    this.canvas.height = lines;
    const context = this.canvas.getContext("2d")!;
    const image = context.createImageData(width, lines);
    const data = image.data;
    const colours = [rgb(palette.message), rgb(palette.waiting), rgb(palette.inside)];
    let largest = 1;
    for (let i = 0; i < counts.length; ++i) if (counts[i] > largest) largest = counts[i];
    const shades = Uint8Array.from(
      { length: 256 },
      (_, n) => 70 + 150 * (Math.log1p(n) / Math.log1p(255)),
    );
    for (let i = 0; i < counts.length; ++i) {
      if (counts[i] === 0 && marks[i] === 0) continue;
      const [r, g, b] = colours[marks[i]];
      const shade = shades[Math.min(255, ((counts[i] * 255) / largest) | 0)];
      const alpha =
        marks[i] === inside
          ? 255
          : marks[i] === waits
            ? Math.max(90, counts[i] ? shade : 0)
            : shade;
      data[4 * i] = r;
      data[4 * i + 1] = g;
      data[4 * i + 2] = b;
      data[4 * i + 3] = alpha;
    }
    context.putImageData(image, 0, 0);
  }

  private coarseCounts(axis: Axis, sieve: Sieve): Uint16Array {
    if (this.coarse?.axis === axis && this.coarse.sieve === sieve) return this.coarse.counts;
    const { film } = this;
    const slices = slicesOf(sieve);
    const counts = new Uint16Array(sieve.rows.length * slices);
    const scale = slices / (axis.end - axis.begin || 1);
    for (let event = 0; event < film.count; ++event) {
      const row = sieve.rowOf[film.node[event]];
      if (!(row >= 0) || !sieve.passes(event)) continue;
      const slice = Math.min(slices - 1, ((axis.x(event) - axis.begin) * scale) | 0);
      const at = row * slices + slice;
      if (counts[at] < 0xffff) ++counts[at];
    }
    this.coarse = { axis, sieve, counts };
    return counts;
  }
}

// Shows how many events there are, where too many fall into a pixel to be drawn one by one: an
// image with a line for each node (or several nodes), and the critical sections on top. Coarse
// counts of the whole run, by row and slice of time, are kept, so that a view of the whole run need
// not look at all events again.
import { none, type Film } from "../../film/film";
import type { Run } from "../../film/run";
import type { Spans } from "../../film/spans";
import type { Sieve } from "../filter";
import { rgb, type Palette } from "../palette";
import type { Axis } from "./axis";
import type { Sheet } from "./sheet";

/** The number of coarse counts of all rows together. */
const cells = 1 << 20;
/** With more events than this, the coarse counts are used. */
const many = 150_000;

const waits = 1;
const inside = 2;

/** What becomes the image: pixels by line. */
interface Grid {
  width: number;
  lines: number;
  firstRow: number;
  rows: number;
  /** Pixels per unit of time. */
  scale: number;
  /** By row, where its line begins; -1 for one that is out of sight. */
  lineOf: Int32Array;
  counts: Uint32Array;
  marks: Uint8Array;
}

export class Density {
  private readonly canvas = document.createElement("canvas");
  private kept: Coarse | null = null;

  constructor(
    private readonly film: Film,
    private readonly run: Run,
  ) {}

  /** Counts ahead of the first drawing. */
  prepare(axis: Axis, sieve: Sieve): void {
    if (this.film.count > many) this.coarse(axis, sieve);
  }

  draw(context: CanvasRenderingContext2D, sheet: Sheet): void {
    const { window } = sheet;
    const grid = gridFor(sheet);
    if (!grid) return;
    const { axis, sieve } = sheet;
    const slice = (axis.end - axis.begin) / slicesOf(sieve) || 1;
    const events = axis.last(window.x1) - axis.first(window.x0);
    if (events > many && slice * grid.scale <= 2) {
      copySlices(grid, window.x0 - axis.begin, slice, this.coarse(axis, sieve));
    } else {
      this.count(grid, sheet);
      this.mark(grid, sheet, this.run.waits, waits);
      this.mark(grid, sheet, this.run.visits, inside);
    }
    this.paint(grid, sheet.palette);
    const { width, lines } = grid;
    const left = window.labels;
    const top = window.y(grid.firstRow) - window.rowHeight / 2;
    const all = grid.rows * window.rowHeight;
    const height = all / lines;
    context.imageSmoothingEnabled = false;
    if (height < 5) {
      context.drawImage(this.canvas, 0, 0, width, lines, left, top, width, all);
      return;
    }
    const bar = Math.min(height * 0.7, 22);
    for (let line = 0; line < lines; ++line) {
      const y = top + line * height + (height - bar) / 2;
      context.drawImage(this.canvas, 0, line, width, 1, left, y, width, bar);
    }
  }

  private count(grid: Grid, { axis, window, sieve }: Sheet): void {
    const from = axis.first(window.x0);
    const to = axis.last(window.x1);
    const { node } = this.film;
    const { xs } = axis;
    const { rowOf } = sieve;
    const { lineOf, counts, scale } = grid;
    for (let event = from; event <= to; ++event) {
      const line = lineOf[rowOf[node[event]]];
      if (line >= 0 && (sieve.all || sieve.passes(event)))
        ++counts[line + (((xs[event] - window.x0) * scale) | 0)];
    }
  }

  private mark(grid: Grid, { axis, window, sieve }: Sheet, spans: Spans, value: number): void {
    const { node } = this.film;
    const { lineOf, marks, scale, width } = grid;
    const { xs } = axis;
    const from = Math.max(0, axis.first(window.x0) - 1);
    spans.meet(from, axis.last(window.x1), (span) => {
      const event = spans.from[span];
      const line = lineOf[sieve.rowOf[node[event]]];
      if (!(line >= 0) || !sieve.passes(event)) return true;
      const end = spans.to[span] === none ? axis.end : xs[spans.to[span]];
      const begin = Math.max(0, ((xs[event] - window.x0) * scale) | 0);
      const last = Math.min(width - 1, ((end - window.x0) * scale) | 0);
      for (let px = begin; px <= last; ++px) marks[line + px] = value;
      return true;
    });
  }

  private paint({ counts, marks, width, lines }: Grid, palette: Palette): void {
    this.canvas.width = width;
    this.canvas.height = lines;
    const context = this.canvas.getContext("2d")!;
    const image = context.createImageData(width, lines);
    const pixels = new Uint32Array(image.data.buffer);
    let largest = 1;
    for (let i = 0; i < counts.length; ++i) if (counts[i] > largest) largest = counts[i];
    const tints = [palette.message, palette.waiting, palette.inside].map(tintsOf);
    const scale = 255 / largest;
    for (let i = 0; i < counts.length; ++i)
      if (counts[i] !== 0 || marks[i] !== 0) {
        const shade = marks[i] === inside ? 255 : (counts[i] * scale) | 0;
        pixels[i] = tints[marks[i]][shade];
      }
    context.putImageData(image, 0, 0);
  }

  private coarse(axis: Axis, sieve: Sieve): Coarse {
    if (this.kept?.axis === axis && this.kept.sieve === sieve) return this.kept;
    const { node, count } = this.film;
    const slices = slicesOf(sieve);
    const counts = new Uint16Array(sieve.rows.length * slices);
    const scale = slices / (axis.end - axis.begin || 1);
    for (let event = 0; event < count; ++event) {
      const row = sieve.rowOf[node[event]];
      if (!(row >= 0) || !(sieve.all || sieve.passes(event))) continue;
      const slice = Math.min(slices - 1, ((axis.xs[event] - axis.begin) * scale) | 0);
      const at = row * slices + slice;
      if (counts[at] < 0xffff) ++counts[at];
    }
    const marks = new Uint8Array(counts.length);
    const mark = (spans: Spans, value: number) => {
      for (let span = 0; span < spans.count; ++span) {
        const event = spans.from[span];
        const row = sieve.rowOf[node[event]];
        if (!(row >= 0) || !sieve.passes(event)) continue;
        const end = spans.to[span] === none ? axis.end : axis.xs[spans.to[span]];
        const begin = ((axis.xs[event] - axis.begin) * scale) | 0;
        const last = Math.min(slices - 1, ((end - axis.begin) * scale) | 0);
        marks.fill(value, row * slices + begin, row * slices + last + 1);
      }
    };
    mark(this.run.waits, waits);
    mark(this.run.visits, inside);
    this.kept = { axis, sieve, slices, counts, marks };
    return this.kept;
  }
}

/** Counts and marks by row and slice of the whole run. */
interface Coarse {
  axis: Axis;
  sieve: Sieve;
  slices: number;
  counts: Uint16Array;
  marks: Uint8Array;
}

/** `x0` is where the window begins, from the run's beginning. */
function copySlices(grid: Grid, x0: number, slice: number, coarse: Coarse): void {
  const { slices } = coarse;
  const begin = Math.max(0, Math.ceil(x0 / slice - 0.5));
  const end = Math.min(slices, Math.ceil((x0 + grid.width / grid.scale) / slice - 0.5));
  for (let row = grid.firstRow; row < grid.firstRow + grid.rows; ++row)
    for (let s = begin; s < end; ++s) {
      const from = row * slices + s;
      const to = grid.lineOf[row] + ((((s + 0.5) * slice - x0) * grid.scale) | 0);
      grid.counts[to] += coarse.counts[from];
      if (coarse.marks[from] > grid.marks[to]) grid.marks[to] = coarse.marks[from];
    }
}

function gridFor({ window, sieve }: Sheet): Grid | null {
  const firstRow = window.firstRow();
  const rows = window.lastRow() - firstRow + 1;
  const width = Math.ceil(window.plot);
  if (sieve.rows.length === 0 || rows <= 0) return null;
  // Several rows share a line of pixels when there are more of them.
  const lines = Math.min(rows, Math.ceil(window.body));
  const lineOf = new Int32Array(sieve.rows.length).fill(-1);
  for (let row = 0; row < rows; ++row)
    lineOf[firstRow + row] = Math.floor((row * lines) / rows) * width;
  const scale = (width - 0.01) / (window.x1 - window.x0);
  const counts = new Uint32Array(width * lines);
  const marks = new Uint8Array(width * lines);
  return { width, lines, firstRow, rows, scale, lineOf, counts, marks };
}

function slicesOf(sieve: Sieve): number {
  return Math.max(64, Math.min(4096, Math.floor(cells / Math.max(1, sieve.rows.length))));
}

/** A colour from pale to full, as the bytes of an image's pixel. */
function tintsOf(colour: string): Uint32Array {
  const [r, g, b] = rgb(colour);
  const bytes = new Uint8Array(4 * 256);
  for (let shade = 0; shade < 256; ++shade)
    bytes.set([r, g, b, 80 + 175 * (Math.log1p(shade) / Math.log1p(255))], 4 * shade);
  return new Uint32Array(bytes.buffer);
}

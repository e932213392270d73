// Which part of a run the diagram shows, and how that becomes pixels.
import type { Axis } from "./axis";

/** The band on top with the times. */
export const ruler = 26;
const right = 14;

export class Window {
  x0 = 0;
  x1 = 1;
  /** How far it is scrolled down, in pixels. */
  top = 0;
  rowHeight = 24;
  width = 0;
  height = 0;
  /** The column of the nodes' names. */
  labels = 60;
  rows = 1;
  private axis!: Axis;

  get plot(): number {
    return Math.max(1, this.width - this.labels - right);
  }

  get body(): number {
    return Math.max(1, this.height - ruler);
  }

  px(x: number): number {
    return this.labels + ((x - this.x0) / (this.x1 - this.x0)) * this.plot;
  }

  x(px: number): number {
    return this.x0 + ((px - this.labels) / this.plot) * (this.x1 - this.x0);
  }

  /** The middle of a row. */
  y(row: number): number {
    return ruler + (row + 0.5) * this.rowHeight - this.top;
  }

  row(y: number): number {
    return Math.floor((y - ruler + this.top) / this.rowHeight);
  }

  firstRow(): number {
    return Math.max(0, Math.floor(this.top / this.rowHeight));
  }

  lastRow(): number {
    return Math.min(this.rows - 1, Math.floor((this.top + this.body) / this.rowHeight));
  }

  /** Shows everything, or as many rows as can be read. */
  fit(axis: Axis, rows: number): void {
    this.axis = axis;
    this.rows = Math.max(1, rows);
    const pad = this.padding((axis.end - axis.begin) / 0.96);
    this.x0 = axis.begin - pad;
    this.x1 = axis.end + pad;
    this.top = 0;
    const even = this.body / this.rows;
    this.rowHeight = even >= 16 ? Math.min(even, 88) : this.rows * 16 > 3 * this.body ? even : 16;
    this.clamp();
  }

  /** Shows the beginning of a run; all of it if it is short or very long. */
  begin(axis: Axis, rows: number): void {
    this.fit(axis, rows);
    const { count } = axis.film;
    if (count <= 400 || count > 20_000) return;
    const length = (axis.x(120) - axis.begin) / 0.96;
    this.x0 = axis.begin - this.padding(length);
    this.x1 = this.x0 + length;
    this.clamp();
  }

  /** Shows the same part of another run, or with other rows. */
  keep(axis: Axis, rows: number): void {
    this.axis = axis;
    this.rows = Math.max(1, rows);
    this.clamp();
  }

  /** Zooms around a place that stays where it is. */
  zoom(factor: number, atPx: number): void {
    const middle = this.x(atPx);
    const least = this.axis.mode === "order" || this.axis.film.header.unit === "step" ? 4 : 100;
    const whole = this.axis.end - this.axis.begin;
    const most = whole + 2 * this.padding(whole / 0.96);
    const length = Math.min(most, Math.max(Math.min(least, most), (this.x1 - this.x0) * factor));
    const share = (middle - this.x0) / (this.x1 - this.x0);
    this.x0 = middle - share * length;
    this.x1 = this.x0 + length;
    this.clamp();
  }

  zoomRows(factor: number, atY: number): void {
    const row = (atY - ruler + this.top) / this.rowHeight;
    const least = Math.min(16, this.body / this.rows);
    this.rowHeight = Math.min(96, Math.max(least, this.rowHeight * factor));
    this.top = row * this.rowHeight - (atY - ruler);
    this.clamp();
  }

  pan(dx: number, dy: number): void {
    const x = (dx / this.plot) * (this.x1 - this.x0);
    this.x0 -= x;
    this.x1 -= x;
    this.top -= dy;
    this.clamp();
  }

  /** Moves so that x is visible, with some time around it. Returns whether anything moved. */
  reveal(x: number): boolean {
    const length = this.x1 - this.x0;
    const margin = length * 0.08;
    if (x >= this.x0 + margin && x <= this.x1 - margin) return false;
    const before = this.x0;
    const share = x < this.x0 + margin ? 0.3 : 0.7;
    this.x0 = x - length * share;
    this.x1 = this.x0 + length;
    this.clamp();
    return Math.abs(before - this.x0) > length * 1e-6;
  }

  revealRow(row: number): void {
    if (row < 0 || this.rows * this.rowHeight <= this.body) return;
    const y = (row + 0.5) * this.rowHeight;
    if (y < this.top + this.rowHeight || y > this.top + this.body - this.rowHeight)
      this.top = y - this.body / 2;
    this.clamp();
  }

  clamp(): void {
    const { begin, end } = this.axis;
    const whole = end - begin;
    const length = Math.min(this.x1 - this.x0, whole + 2 * this.padding(whole / 0.96));
    const pad = this.padding(length);
    this.x0 = Math.max(begin - pad, Math.min(this.x0, end + pad - length));
    this.x1 = this.x0 + length;
    this.top = Math.max(0, Math.min(this.top, this.rows * this.rowHeight - this.body));
  }

  /** How far a window of this length may go beyond the ends. */
  private padding(length: number): number {
    return Math.max(length * 0.02, 0.6);
  }
}

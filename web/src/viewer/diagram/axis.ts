// From left to right: time as it passed, or one event after the other, all at the same distance.
import type { Film } from "../../film/film";
import { duration } from "../../film/words";

export type AxisMode = "time" | "order";

export class Axis {
  readonly xs: Float64Array;

  constructor(
    readonly film: Film,
    readonly mode: AxisMode,
  ) {
    this.xs =
      mode === "time" ? film.at : Float64Array.from({ length: film.count }, (_, event) => event);
  }

  get begin(): number {
    return this.xs[0] ?? 0;
  }

  get end(): number {
    return this.xs[this.xs.length - 1] ?? 0;
  }

  x(event: number): number {
    return this.xs[event];
  }

  /** The first event that is not before x; the number of events if there is none. */
  first(x: number): number {
    let low = 0;
    let high = this.xs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.xs[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last event that is not after x, or -1. */
  last(x: number): number {
    let low = 0;
    let high = this.xs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.xs[middle] <= x) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The event nearest to x. */
  nearest(x: number): number {
    const last = Math.max(0, this.last(x));
    const next = Math.min(last + 1, this.xs.length - 1);
    return this.xs[next] - x < x - this.xs[last] ? next : last;
  }

  label(x: number, step: number): string {
    if (this.mode === "order" || this.film.header.unit === "step") return String(Math.round(x));
    return duration(x, step);
  }

  /** Round values, at least `least` pixels apart. */
  ticks(x0: number, x1: number, pixels: number, least: number): number[] {
    const whole = this.mode === "order" || this.film.header.unit === "step";
    const raw = ((x1 - x0) * least) / Math.max(1, pixels);
    const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)));
    let step = [1, 2, 5, 10].map((m) => m * power).find((value) => value >= raw) ?? raw;
    if (whole) step = Math.max(1, Math.round(step));
    const found: number[] = [];
    for (let x = Math.ceil(x0 / step) * step; x <= x1 && found.length < 200; x += step)
      found.push(x);
    return found;
  }
}

// The scales of a figure, and where their ticks are.
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3";
import type { Axis, Figure } from "./data";
import { short } from "./numbers";

export type Scale = ScaleContinuousNumeric<number, number>;

/** Whether a point can be drawn: a logarithmic axis has no 0. */
export function drawable(figure: Figure, x: number, y: number): boolean {
  return (!figure.x.log || x > 0) && (!figure.y.log || y > 0);
}

export function domainOf(values: number[], log: boolean): [number, number] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (log) return least === most ? [least / 2, most * 2] : [least, most];
  return least === most ? [Math.min(0, least), most || 1] : [least, most];
}

/** The scale of x: from the first place to the last. */
export function across(axis: Axis, values: number[], range: [number, number]): Scale {
  const [least, most] = domainOf(values, axis.log);
  const scale = axis.log ? scaleLog() : scaleLinear();
  return scale.domain([least, most]).range(range) as Scale;
}

/** The scale of what was measured: from 0, unless it is logarithmic. */
export function along(axis: Axis, values: number[], range: [number, number]): Scale {
  let [least, most] = domainOf(values, axis.log);
  if (axis.log) return scaleLog().domain([least / 1.15, most * 1.15]).range(range) as Scale;
  if (least > -0.02 * most) least = 0; // only noise is below 0
  if (axis.unit === "%" && most === 100) {
    return scaleLinear().domain([Math.min(0, least), 100]).range(range) as Scale;
  }
  const room = (most - Math.min(0, least)) * 0.04;
  return scaleLinear()
    .domain([Math.min(0, least), most + room])
    .nice(5)
    .range(range) as Scale;
}

/** The values that are far enough apart on the scale. */
function spaced(values: number[], scale: Scale, gap: number): number[] {
  const kept: number[] = [];
  for (const value of values) {
    const last = kept[kept.length - 1];
    if (last === undefined || Math.abs(scale(value) - scale(last)) >= gap) kept.push(value);
  }
  return kept;
}

/** The coarsest ticks of which at least three fit. */
function logTicks(scale: Scale, gap: number): number[] {
  const [least, most] = scale.domain();
  let ticks: number[] = [];
  for (const digits of [[1], [1, 3], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    ticks = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most) + 1; ++power) {
      for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
    }
    ticks = ticks.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001);
    ticks = spaced(ticks, scale, gap);
    if (ticks.length >= 3) return ticks;
  }
  return ticks.length >= 2 ? ticks : scaleLinear().domain([least, most]).ticks(4);
}

/** Ticks at the places that were measured, if these are few. */
export function ticksAcross(axis: Axis, values: number[], scale: Scale, gap: number): number[] {
  const places = [...new Set(values)].sort((a, b) => a - b);
  if (axis.names.length > 0) return axis.names.map((_, index) => index);
  const decades = axis.log ? Math.log10(places[places.length - 1] / places[0]) : 0;
  const kept = spaced(places, scale, gap);
  if (places.length <= 9 && decades < 3 && kept.length >= Math.min(3, places.length)) return kept;
  return ticksAlong(axis, scale, gap);
}

export function ticksAlong(axis: Axis, scale: Scale, gap: number): number[] {
  if (axis.log) return logTicks(scale, gap);
  const [from, to] = scale.range();
  const count = Math.max(2, Math.min(7, Math.floor(Math.abs(to - from) / gap)));
  return spaced(scale.ticks(count), scale, gap * 0.8);
}

export function tickText(axis: Axis, value: number): string {
  return axis.names[value] ?? short(value);
}

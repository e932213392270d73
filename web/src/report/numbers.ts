// How numbers are written, on axes and elsewhere.
import type { Axis, Datum } from "./data";

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const exact = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

/** For a tick: 10 000 is 10k. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${plain.format(value / 1e6)}M`;
  if (size >= 1e4) return `${plain.format(value / 1e3)}k`;
  return plain.format(value);
}

export function full(value: number): string {
  return exact.format(value);
}

export function withUnit(text: string, unit: string): string {
  if (unit === "") return text;
  return unit === "%" ? `${text} %` : `${text} ${unit}`;
}

/** Where a datum is, in words. */
export function placeOf(axis: Axis, x: number): string {
  return axis.names[x] ?? withUnit(full(x), axis.unit);
}

export function valueOf(axis: Axis, [, y, error]: Datum): string {
  const value = error > 0 ? `${full(y)} ± ${Number(error.toPrecision(2))}` : full(y);
  return withUnit(value, axis.unit);
}

/** The label with the unit, unless the label names the unit. */
export function titleOf(axis: Axis): string {
  const counted = axis.unit.length > 4 && axis.label.includes(axis.unit);
  return axis.unit === "" || counted ? axis.label : `${axis.label} (${axis.unit})`;
}

// What all parts of the diagram's drawing look at.
import type { Film } from "../../film/film";
import type { Run } from "../../film/run";
import type { Sieve } from "../filter";
import type { Palette } from "../palette";
import type { Axis } from "./axis";
import { ruler, type Window } from "./window";

export interface Sheet {
  film: Film;
  run: Run;
  axis: Axis;
  window: Window;
  sieve: Sieve;
  palette: Palette;
}

/** The most events that are drawn one by one. */
export const detailed = 4000;

/** The events between the left and the right edge. */
export function seen(sheet: Sheet): [number, number] {
  return [sheet.axis.first(sheet.window.x0), sheet.axis.last(sheet.window.x1)];
}

/** The place of an event, or nothing if its node has no row. */
export function spot(
  sheet: Sheet,
  event: number,
  node = sheet.film.node[event],
): { x: number; y: number } | null {
  const row = sheet.sieve.rowOf[node];
  if (!(row >= 0)) return null;
  return { x: sheet.window.px(sheet.axis.x(event)), y: sheet.window.y(row) };
}

/** Limits drawing to the area right of the names and below the times. */
export function clipToPlot(context: CanvasRenderingContext2D, window: Window): void {
  context.beginPath();
  context.rect(window.labels, ruler, window.width - window.labels, window.body);
  context.clip();
}

export function cross(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.beginPath();
  context.moveTo(x - arm, y - arm);
  context.lineTo(x + arm, y + arm);
  context.moveTo(x + arm, y - arm);
  context.lineTo(x - arm, y + arm);
  context.stroke();
}

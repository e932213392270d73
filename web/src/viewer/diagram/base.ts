// The part of the diagram that does not change while the moment moves: lines, bars, arrows and
// marks.
import { none } from "../../film/film";
import { Away } from "../../film/run";
import type { Spans } from "../../film/spans";
import type { Density } from "./density";
import { arrows, drawArrows, drawKinds, type Arrow } from "./messages";
import { clipToPlot, cross, detailed, seen, spot, type Sheet } from "./sheet";
import { ruler } from "./window";

/** Returns the arrows that were drawn, to be found by the pointer. */
export function drawBase(
  context: CanvasRenderingContext2D,
  sheet: Sheet,
  density: Density,
): Arrow[] {
  const { window, palette } = sheet;
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, window.width, window.height);
  drawBands(context, sheet);
  drawRuler(context, sheet);
  context.save();
  clipToPlot(context, window);
  drawAway(context, sheet);
  drawRows(context, sheet);
  const [first, last] = seen(sheet);
  const few = last - first <= detailed && window.rowHeight >= 5;
  const drawn = arrows(sheet);
  if (few) {
    drawBars(context, sheet, sheet.run.waits, palette.waiting, 0.16, 5);
    drawBars(context, sheet, sheet.run.visits, palette.inside, 0.42, 16);
    drawArrows(context, sheet, drawn);
    drawEvents(context, sheet, first, last);
    drawKinds(context, sheet, drawn);
  } else {
    density.draw(context, sheet);
    drawArrows(context, sheet, drawn);
  }
  drawFaults(context, sheet, first, last, few);
  context.restore();
  drawViolations(context, sheet);
  return drawn;
}

/** Clusters, alternately shaded. */
function drawBands(context: CanvasRenderingContext2D, sheet: Sheet): void {
  const { window, sieve, film, palette } = sheet;
  const cluster = (row: number) => film.header.nodes[sieve.rows[row]].cluster ?? 0;
  context.save();
  context.beginPath();
  context.rect(0, ruler, window.width, window.body);
  context.clip();
  for (let begin = 0, band = 0; begin < sieve.rows.length; ++band) {
    let end = begin + 1;
    while (end < sieve.rows.length && cluster(end) === cluster(begin)) ++end;
    const top = window.y(begin) - window.rowHeight / 2;
    const height = (end - begin) * window.rowHeight;
    if (band % 2 === 1) {
      context.globalAlpha = 0.55;
      context.fillStyle = palette.sunken;
      context.fillRect(0, top, window.width, height);
      context.globalAlpha = 1;
    }
    begin = end;
  }
  context.restore();
}

function drawRuler(context: CanvasRenderingContext2D, sheet: Sheet): void {
  const { window, axis, palette, film } = sheet;
  context.fillStyle = palette.quiet;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.font = `11px ${palette.text}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const ticks = axis.ticks(window.x0, window.x1, window.plot, 84);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  context.beginPath();
  for (const tick of ticks) {
    if (tick < axis.begin || tick > axis.end) continue;
    const x = Math.round(window.px(tick)) + 0.5;
    if (x < window.labels) continue;
    context.moveTo(x, ruler - 4);
    context.lineTo(x, ruler);
    if (x > window.labels + 24 && x < window.width - 28)
      context.fillText(axis.label(tick, step), x, ruler / 2 - 1);
  }
  context.moveTo(0, ruler + 0.5);
  context.lineTo(window.width, ruler + 0.5);
  context.stroke();
  context.textAlign = "left";
  const unit = axis.mode === "order" ? "event" : film.header.unit === "step" ? "step" : "time";
  context.fillText(unit, 12, ruler / 2 - 1);
}

function drawRows(context: CanvasRenderingContext2D, sheet: Sheet): void {
  const { window, palette } = sheet;
  if (window.rowHeight < 8) return;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (let row = window.firstRow(); row <= window.lastRow(); ++row) {
    const y = Math.round(window.y(row)) + 0.5;
    context.moveTo(window.labels, y);
    context.lineTo(window.width, y);
  }
  context.stroke();
}

function drawAway(context: CanvasRenderingContext2D, sheet: Sheet): void {
  const { run, film, axis, window, sieve, palette } = sheet;
  const [first, last] = seen(sheet);
  let count = 0;
  run.away.meet(Math.max(0, first - 1), last, (span) => {
    const row = sieve.rowOf[film.node[run.away.from[span]]];
    if (!(row >= 0)) return true;
    const x0 = Math.max(window.labels, window.px(axis.x(run.away.from[span])));
    const x1 = run.away.to[span] === none ? window.width : window.px(axis.x(run.away.to[span]));
    const y = window.y(row) - window.rowHeight / 2;
    const cutOff = run.awayWhy[span] === Away.cutOff;
    context.fillStyle = cutOff ? palette.danger : palette.quiet;
    context.globalAlpha = cutOff ? 0.11 : 0.17;
    context.fillRect(x0, y, Math.max(1, x1 - x0), Math.max(1, window.rowHeight));
    context.globalAlpha = 1;
    if (cutOff && window.rowHeight >= 10) {
      context.strokeStyle = palette.danger;
      context.globalAlpha = 0.5;
      context.setLineDash([5, 4]);
      context.strokeRect(x0 + 0.5, y + 1.5, Math.max(1, x1 - x0), window.rowHeight - 3);
      context.setLineDash([]);
      context.globalAlpha = 1;
    }
    return ++count < 4000;
  });
}

function drawBars(
  context: CanvasRenderingContext2D,
  sheet: Sheet,
  spans: Spans,
  colour: string,
  share: number,
  thickest: number,
): void {
  const { film, axis, window, sieve } = sheet;
  const [first, last] = seen(sheet);
  const height = Math.max(2, Math.min(thickest, window.rowHeight * share));
  context.fillStyle = colour;
  context.beginPath();
  spans.meet(Math.max(0, first - 1), last, (span) => {
    const event = spans.from[span];
    const row = sieve.rowOf[film.node[event]];
    if (!(row >= 0) || !sieve.passes(event)) return true;
    const x0 = Math.max(window.labels - 10, window.px(axis.x(event)));
    const end =
      spans.to[span] === none ? axis.end + (axis.end - axis.begin) : axis.x(spans.to[span]);
    const x1 = Math.min(window.width + 10, window.px(end));
    context.roundRect(
      x0,
      window.y(row) - height / 2,
      Math.max(2, x1 - x0),
      height,
      Math.min(4, height / 2),
    );
    return true;
  });
  context.fill();
}

/** Draws a dot for each event; those of messages are at the ends of arrows. */
function drawEvents(
  context: CanvasRenderingContext2D,
  sheet: Sheet,
  first: number,
  last: number,
): void {
  const { film, window, sieve, palette } = sheet;
  const radius = last - first > 1200 ? 1.5 : Math.min(3, Math.max(1.6, window.rowHeight / 9));
  const request = film.code("request");
  const enter = film.code("enter");
  const elected = film.code("elected");
  for (let event = first; event <= last; ++event) {
    if (!sieve.passes(event)) continue;
    const at = spot(sheet, event);
    if (!at || at.y < ruler - 10 || at.y > window.height + 10) continue;
    const word = film.word[event];
    context.beginPath();
    if (word === request) {
      context.arc(at.x, at.y, radius + 1.5, 0, 7);
      context.fillStyle = palette.panel;
      context.fill();
      context.strokeStyle = palette.waiting;
      context.lineWidth = 2;
      context.stroke();
    } else if (word === elected) {
      diamond(context, at.x, at.y, radius + 3.5);
      context.fillStyle = palette.inside;
      context.fill();
    } else if (word !== enter) {
      context.arc(at.x, at.y, radius, 0, 7);
      context.fillStyle = film.peer[event] === none ? palette.quiet : palette.message;
      context.fill();
    }
  }
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

/** Draws crosses where nodes crashed; they are visible from afar, too. */
function drawFaults(
  context: CanvasRenderingContext2D,
  sheet: Sheet,
  first: number,
  last: number,
  few: boolean,
): void {
  const { run, window, palette } = sheet;
  context.strokeStyle = palette.danger;
  context.lineWidth = 2.2;
  let count = 0;
  run.away.meet(Math.max(0, first - 1), last, (span) => {
    if (run.awayWhy[span] !== Away.crashed) return true;
    const at = spot(sheet, run.away.from[span]);
    if (at && at.x >= window.labels)
      cross(context, at.x, at.y, few ? Math.min(7, window.rowHeight * 0.3) : 3);
    return ++count < 1000;
  });
}

function drawViolations(context: CanvasRenderingContext2D, sheet: Sheet): void {
  const { film, axis, window, palette } = sheet;
  context.font = `600 11px ${palette.text}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  let taken = -100;
  for (const violation of film.header.violations) {
    if (violation.event >= film.count) continue;
    const x = window.px(axis.x(violation.event));
    if (x < window.labels || x > window.width) continue;
    context.strokeStyle = palette.danger;
    context.lineWidth = 1.5;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(x, ruler);
    context.lineTo(x, window.height);
    context.stroke();
    context.setLineDash([]);
    for (const node of violation.nodes) {
      const at = spot(sheet, violation.event, node);
      if (!at || at.y < ruler) continue;
      context.beginPath();
      context.arc(at.x, at.y, Math.max(4, Math.min(11, window.rowHeight * 0.36)), 0, 7);
      context.stroke();
    }
    const half = context.measureText(violation.property).width / 2 + 6;
    const middle = Math.min(window.width - half - 2, Math.max(window.labels + half, x));
    if (middle - half < taken) continue;
    context.fillStyle = palette.danger;
    context.beginPath();
    context.roundRect(middle - half, 0, 2 * half, 15, 7);
    context.fill();
    context.fillStyle = palette.panel;
    context.fillText(violation.property, middle, 8);
    taken = middle + half;
  }
}

// The arrows of the diagram: from where a message was sent to where it arrived, or was lost.
import { none } from "../../film/film";
import { isWeighty } from "../../film/run";
import type { Spans } from "../../film/spans";
import { cross, seen, type Sheet } from "./sheet";
import { ruler } from "./window";

/** The most arrows that are drawn. If there are more, only tokens are; if these are more, none. */
const most = 2500;

export interface Arrow {
  send: number;
  end: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  lost: boolean;
  weighty: boolean;
}

/** The arrows that meet the window; nothing if there are too many of them to tell apart. */
export function arrows(sheet: Sheet): Arrow[] {
  if (sheet.window.rowHeight < 5) return [];
  return collect(sheet, sheet.run.messages) ?? collect(sheet, sheet.run.tokens) ?? [];
}

function collect(sheet: Sheet, spans: Spans): Arrow[] | null {
  const { film, axis, window, sieve } = sheet;
  const [first, last] = seen(sheet);
  const weighty = film.header.kinds.map(isWeighty);
  const lose = film.code("lose");
  const found: Arrow[] = [];
  let count = 0;
  spans.meet(Math.max(0, first - 1), last, (span) => {
    const send = spans.from[span];
    const end = spans.to[span];
    const from = sieve.rowOf[film.node[send]];
    const to = sieve.rowOf[film.peer[send]];
    if (!(from >= 0) || !(to >= 0) || from === to || !sieve.passes(send))
      return ++count <= 20 * most;
    const x0 = window.px(axis.x(send));
    const lost = end !== none && film.word[end] === lose;
    const arrives = end === none ? axis.end : axis.x(end);
    // What never arrives ends on its way.
    const share = lost ? 0.62 : end === none ? 0.5 : 1;
    const y0 = window.y(from);
    const y1 = y0 + (window.y(to) - y0) * share;
    let x1 = window.px(arrives);
    if (x1 - x0 < 4 && (lost || end === none)) x1 = x0 + 8;
    found.push({ send, end, x0, y0, x1, y1, lost, weighty: weighty[film.kind[send]] });
    return found.length <= most;
  });
  return found.length > most || count > 20 * most ? null : found;
}

export function drawArrows(context: CanvasRenderingContext2D, sheet: Sheet, all: Arrow[]): void {
  const { palette } = sheet;
  const dense = all.length > 300;
  for (const weighty of [false, true]) {
    context.strokeStyle = context.fillStyle = weighty ? palette.token : palette.message;
    context.lineWidth = weighty ? (dense ? 1.4 : 2) : 1;
    context.globalAlpha = dense && !weighty ? 0.45 : weighty ? 1 : 0.8;
    for (const open of [false, true]) {
      context.setLineDash(open ? [4, 3] : []);
      context.beginPath();
      for (const arrow of all)
        if (arrow.weighty === weighty && (arrow.end === none || arrow.lost) === open) {
          context.moveTo(arrow.x0, arrow.y0);
          context.lineTo(arrow.x1, arrow.y1);
        }
      context.stroke();
    }
    context.setLineDash([]);
    context.beginPath();
    for (const arrow of all)
      if (arrow.weighty === weighty && arrow.end !== none && !arrow.lost) head(context, arrow);
    context.fill();
  }
  context.globalAlpha = 1;
  context.strokeStyle = palette.danger;
  context.lineWidth = 2;
  for (const arrow of all) if (arrow.lost) cross(context, arrow.x1, arrow.y1, dense ? 3 : 4.5);
}

function head(context: CanvasRenderingContext2D, arrow: Arrow): void {
  const dx = arrow.x1 - arrow.x0;
  const dy = arrow.y1 - arrow.y0;
  const length = Math.hypot(dx, dy);
  if (length < 10) return;
  const size = arrow.weighty ? 8 : 6.5;
  const ux = dx / length;
  const uy = dy / length;
  const x = arrow.x1 - ux * 2;
  const y = arrow.y1 - uy * 2;
  context.moveTo(x, y);
  context.lineTo(x - ux * size - uy * size * 0.42, y - uy * size + ux * size * 0.42);
  context.lineTo(x - ux * size + uy * size * 0.42, y - uy * size - ux * size * 0.42);
  context.closePath();
}

/** The types of the messages, where there is room for them. */
export function drawKinds(context: CanvasRenderingContext2D, sheet: Sheet, all: Arrow[]): void {
  const { film, palette, window } = sheet;
  if (all.length > 60) return;
  context.font = `11px ${palette.text}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.strokeStyle = palette.panel;
  const taken: { x0: number; x1: number; y: number }[] = [];
  for (const arrow of all) {
    const text = film.kindOf(arrow.send);
    const half = context.measureText(text).width / 2 + 3;
    // Along the arrow, at the first place that is free and between the rows.
    for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14, 0.86]) {
      const x = arrow.x0 + (arrow.x1 - arrow.x0) * share;
      const y = arrow.y0 + (arrow.y1 - arrow.y0) * share;
      const within = ((y - ruler + window.top) / window.rowHeight) % 1;
      if (Math.abs(within - 0.5) * window.rowHeight < Math.min(14, window.rowHeight * 0.3))
        continue;
      if (
        taken.some(
          (other) => Math.abs(other.y - y) < 13 && x - half < other.x1 && x + half > other.x0,
        )
      )
        continue;
      taken.push({ x0: x - half, x1: x + half, y });
      context.strokeText(text, x, y);
      context.fillStyle = arrow.weighty ? palette.token : palette.message;
      context.fillText(text, x, y);
      break;
    }
  }
}

/** The arrow that passes within a few pixels of a point. */
export function arrowAt(all: Arrow[], x: number, y: number): Arrow | null {
  let best: Arrow | null = null;
  let least = 6;
  for (const arrow of all) {
    const dx = arrow.x1 - arrow.x0;
    const dy = arrow.y1 - arrow.y0;
    const share = Math.max(
      0,
      Math.min(1, ((x - arrow.x0) * dx + (y - arrow.y0) * dy) / (dx * dx + dy * dy || 1)),
    );
    const distance = Math.hypot(arrow.x0 + dx * share - x, arrow.y0 + dy * share - y);
    if (distance < least) {
      least = distance;
      best = arrow;
    }
  }
  return best;
}

// The part of the diagram that moves with the moment: the line of now, what is chosen, and the
// names of the nodes.
import type { Moment } from "../structure/scene";
import { spot, type Sheet } from "./sheet";
import { ruler } from "./window";

export interface Chosen {
  moment: Moment;
  /** The event whose details are shown, or -1. */
  event: number;
  /** The nodes that break a property now. */
  guilty: number[];
}

export function drawOverlay(context: CanvasRenderingContext2D, sheet: Sheet, chosen: Chosen): void {
  const { window } = sheet;
  context.clearRect(0, 0, window.width, window.height);
  drawNow(context, sheet, chosen);
  drawNames(context, sheet, chosen);
}

function drawNow(context: CanvasRenderingContext2D, sheet: Sheet, { moment, event }: Chosen): void {
  const { film, window, axis, palette } = sheet;
  if (film.count === 0 || moment.event < 0) return;
  context.save();
  context.beginPath();
  context.rect(window.labels, 0, window.width, window.height);
  context.clip();
  const x = window.px(axis.x(moment.event));
  // What is still to come is pale.
  context.fillStyle = palette.panel;
  context.globalAlpha = 0.5;
  context.fillRect(x, ruler + 1, window.width - x, window.body);
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x, ruler - 6);
  context.lineTo(x, window.height);
  context.stroke();
  context.fillStyle = palette.accent;
  context.beginPath();
  context.moveTo(x - 6, ruler - 10);
  context.lineTo(x + 6, ruler - 10);
  context.lineTo(x, ruler);
  context.fill();
  const now = spot(sheet, moment.event);
  if (now) ring(context, now, palette.accent, 6, 2);
  const picked = event >= 0 && event < film.count ? spot(sheet, event) : null;
  if (picked) ring(context, picked, palette.ink, 9, 2);
  context.restore();
}

function ring(
  context: CanvasRenderingContext2D,
  at: { x: number; y: number },
  colour: string,
  radius: number,
  width: number,
): void {
  if (at.y < ruler) return;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, 7);
  context.stroke();
}

function drawNames(
  context: CanvasRenderingContext2D,
  sheet: Sheet,
  { moment, guilty }: Chosen,
): void {
  const { film, window, sieve, palette } = sheet;
  context.save();
  context.beginPath();
  context.rect(0, ruler + 1, window.labels, window.body);
  context.clip();
  context.fillStyle = palette.panel;
  context.fillRect(0, ruler + 1, window.labels - 1, window.body);
  drawClusters(context, sheet);
  context.fillStyle = palette.line;
  context.fillRect(window.labels - 1, ruler, 1, window.body);
  context.textBaseline = "middle";
  context.textAlign = "left";
  const actor = moment.event >= 0 && film.count > 0 ? film.node[moment.event] : -1;
  const readable = window.rowHeight >= 11;
  for (let row = window.firstRow(); row <= window.lastRow(); ++row) {
    const node = sieve.rows[row];
    const y = window.y(row);
    const bad = guilty.includes(node);
    const active = moment.inside.has(node) || moment.waiting.has(node) || node === actor || bad;
    if (!readable && !(active && window.rowHeight < 1) && !active) continue;
    if (moment.inside.has(node) || moment.waiting.has(node)) {
      context.fillStyle = moment.inside.has(node) ? palette.inside : palette.waiting;
      const tall = Math.max(2, Math.min(14, window.rowHeight - 4));
      context.fillRect(window.labels - 6, y - tall / 2, 4, tall);
    }
    if (!readable && !bad && node !== actor) continue;
    const weight = bad || node === actor ? 600 : 400;
    context.font = `${weight} ${window.rowHeight < 14 ? 10 : 12}px ${palette.text}`;
    context.fillStyle = bad ? palette.danger : node === actor ? palette.accent : palette.ink;
    context.fillText(shortened(context, film.name(node), window.labels - 26), 14, y);
  }
  context.restore();
}

/** A stroke along the rows of each cluster, if there are several. */
function drawClusters(context: CanvasRenderingContext2D, sheet: Sheet): void {
  const { film, window, sieve, palette } = sheet;
  const cluster = (row: number) => film.header.nodes[sieve.rows[row]].cluster ?? 0;
  if (sieve.rows.length === 0 || cluster(0) === cluster(sieve.rows.length - 1)) return;
  for (let begin = 0; begin < sieve.rows.length;) {
    let end = begin + 1;
    while (end < sieve.rows.length && cluster(end) === cluster(begin)) ++end;
    const top = window.y(begin) - window.rowHeight / 2;
    const height = (end - begin) * window.rowHeight;
    context.fillStyle = palette.quiet;
    context.globalAlpha = 0.45;
    context.beginPath();
    context.roundRect(4, top + 2, 3, Math.max(1, height - 4), 1.5);
    context.fill();
    context.globalAlpha = 1;
    begin = end;
  }
}

function shortened(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) --length;
  return `${text.slice(0, length)}…`;
}

// Draws a figure as SVG: axes with units, a line or a row of marks for each series, error bars.
import { curveStepAfter, line, select, type Selection } from "d3";
import type { Datum, Figure } from "./data";
import { marksOf, type Mark } from "./marks";
import { short, titleOf } from "./numbers";
import { across, along, drawable, ticksAcross, ticksAlong, tickText, type Scale } from "./scales";

/** A point that the pointer or a key can select. */
export interface Spot {
  series: number;
  index: number;
  x: number;
  y: number;
}

export interface Drawing {
  svg: SVGSVGElement;
  spots: Spot[];
  width: number;
  height: number;
}

type Group = Selection<SVGGElement, unknown, null, undefined>;

interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A value, and how it is written. */
type Tick = [number, string];

/** The width of a letter on the axes, in pixels. */
const letter = 7;

function canvas(figure: Figure, { width, height }: Frame, about: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const set = (name: string, value: string) => svg.setAttribute(name, value);
  set("viewBox", `0 0 ${width} ${height}`);
  set("width", String(width));
  set("height", String(height));
  set("role", "img");
  set("tabindex", "0");
  set("aria-label", `${figure.title}. ${about}`);
  return svg;
}

function group(svg: SVGSVGElement, name: string): Group {
  return select(svg).append("g").attr("class", name) as unknown as Group;
}

function drawTick(g: Group, x: number, y: number, text: string, anchor: string): void {
  g.append("text").attr("x", x).attr("y", y).attr("text-anchor", anchor).text(text);
}

/** Draws the horizontal axis; if `grid`, with lines through the figure. */
function drawBottom(
  g: Group,
  frame: Frame,
  scale: Scale,
  ticks: Tick[],
  grid: boolean,
): void {
  const { top, bottom } = frame;
  for (const [value, text] of ticks) {
    const x = scale(value);
    g.append("line").attr("class", "grid").attr("x1", x).attr("x2", x)
      .attr("y1", grid ? top : bottom).attr("y2", bottom + 5);
    drawTick(g, x, bottom + 18, text, "middle");
  }
  g.append("line").attr("class", "axis").attr("x1", frame.left).attr("x2", frame.right)
    .attr("y1", bottom).attr("y2", bottom);
}

function drawBottomTitle(g: Group, frame: Frame, text: string): void {
  const middle = (frame.left + frame.right) / 2;
  const fits = middle + (text.length * letter) / 2 <= frame.width;
  g.append("text").attr("class", "axis-title").attr("text-anchor", fits ? "middle" : "end")
    .attr("x", fits ? middle : frame.width - 2).attr("y", frame.bottom + 38).text(text);
}

function drawLeft(g: Group, frame: Frame, scale: Scale, ticks: Tick[]): void {
  for (const [value, text] of ticks) {
    const y = scale(value);
    g.append("line").attr("class", "grid").attr("x1", frame.left - 5).attr("x2", frame.right)
      .attr("y1", y).attr("y2", y);
    drawTick(g, frame.left - 9, y + 4, text, "end");
  }
  g.append("line").attr("class", "axis").attr("x1", frame.left).attr("x2", frame.left)
    .attr("y1", frame.top).attr("y2", frame.bottom);
}

/** Draws the title above the axis, not along it, so that it reads horizontally. */
function drawLeftTitle(g: Group, text: string): void {
  g.append("text").attr("class", "axis-title").attr("x", 2).attr("y", 13).text(text);
}

function drawMark(g: Group, mark: Mark, x: number, y: number): void {
  if (mark.path === "") return;
  g.append("path").attr("class", mark.hollow ? "mark hollow" : "mark").attr("d", mark.path)
    .attr("transform", `translate(${x},${y})`);
}

function seriesGroup(svg: SVGSVGElement, index: number, mark: Mark): Group {
  const g = group(svg, "series").attr("data-series", String(index));
  g.style("--series", mark.colour);
  return g;
}

function clamp(scale: Scale, value: number): number {
  const [least, most] = scale.domain();
  return scale(Math.min(most, Math.max(least, value)));
}

/** References first, then the paper's, and ours on top, whose marks are smaller. */
function drawingOrder({ series }: Figure): number[] {
  return ["reference", "paper", "ours"].flatMap((whose) =>
    series.flatMap((each, index) => (each.whose === whose ? [index] : [])));
}

/** Draws lines or steps, with x to the right. */
export function drawLines(figure: Figure, width: number, about: string): Drawing {
  const data = figure.series.flatMap((each) =>
    each.points.filter(([x, y]) => drawable(figure, x, y)));
  const xs = data.map(([x]) => x);
  const ys = data.flatMap(([, y, error]) => (figure.y.log ? [y] : [y - error, y + error]));
  const height = Math.round(Math.min(360, Math.max(270, width * 0.62)));
  const frame = { width, height, left: 0, right: width - 16, top: 28, bottom: height - 48 };
  const y = along(figure.y, ys, [frame.bottom, frame.top]);
  const left = ticksAlong(figure.y, y, 34).map((v): Tick => [v, tickText(figure.y, v)]);
  frame.left = 20 + letter * Math.max(3, ...left.map(([, text]) => text.length));
  const x = across(figure.x, xs, [frame.left + 14, frame.right - 14]);
  const longest = Math.max(...[...figure.x.names, ...xs.map(short)].map((text) => text.length));
  const bottom = ticksAcross(figure.x, xs, x, letter * Math.min(longest, 6) + 6);
  const svg = canvas(figure, frame, about);
  const axes = group(svg, "axes");
  drawLeft(axes, frame, y, left);
  drawBottom(axes, frame, x, bottom.map((v) => [v, tickText(figure.x, v)]), false);
  drawBottomTitle(axes, frame, titleOf(figure.x));
  drawLeftTitle(axes, titleOf(figure.y));

  const spots: Spot[] = [];
  const marks = marksOf(figure.series);
  for (const series of drawingOrder(figure)) {
    const mark = marks[series];
    const { points, whose } = figure.series[series];
    const g = seriesGroup(svg, series, mark);
    const path = line<Datum>().x((d) => x(d[0])).y((d) => y(d[1]))
      .defined((d) => drawable(figure, d[0], d[1]));
    const steps = figure.shape === "steps" && whose === "ours";
    if (steps) path.curve(curveStepAfter);
    g.append("path").attr("class", "line").attr("stroke-dasharray", mark.dash || null)
      .attr("d", path(points));
    points.forEach(([px, py, error], index) => {
      if (!drawable(figure, px, py)) return;
      const [cx, cy] = [x(px), y(py)];
      if (error > 0) {
        const ends = [clamp(y, py - error), clamp(y, py + error)];
        g.append("path").attr("class", "error")
          .attr("d", `M${cx},${ends[0]}V${ends[1]}M${cx - 4},${ends[0]}h8M${cx - 4},${ends[1]}h8`);
      }
      if (!steps || index % 12 === 6) drawMark(g, mark, cx, cy);
      spots.push({ series, index, x: cx, y: cy });
    });
  }
  spots.sort((a, b) => a.series - b.series || a.index - b.index);
  return { svg, spots, width, height };
}

/** Draws a row for each name, with a bar for each series: long names stay readable. */
export function drawRows(figure: Figure, width: number, about: string): Drawing {
  const marks = marksOf(figure.series);
  const used = figure.x.names.map((_, place) =>
    figure.series.flatMap(({ points }, series) => {
      const index = points.findIndex(([x]) => x === place);
      return index >= 0 && drawable(figure, 1, points[index][1]) ? [{ series, index }] : [];
    }));
  const lane = 11;
  const heights = used.map((row) => Math.max(1, row.length) * lane + 12);
  const top = 8;
  const bottom = top + heights.reduce((sum, height) => sum + height, 0);
  const names = letter * Math.max(4, ...figure.x.names.map((name) => name.length)) + 14;
  const left = Math.min(names, width * 0.45);
  const frame = { width, height: bottom + 48, left, right: width - 18, top, bottom };
  const data = figure.series.flatMap((each) =>
    each.points.filter(([, y]) => drawable(figure, 1, y)));
  const values = data.flatMap(([, y, error]) => (figure.y.log ? [y] : [y - error, y + error]));
  const scale = along(figure.y, values, [frame.left, frame.right]);
  const svg = canvas(figure, frame, about);
  const axes = group(svg, "axes");
  const ticks = ticksAlong(figure.y, scale, 46).map((v): Tick => [v, tickText(figure.y, v)]);
  drawBottom(axes, frame, scale, ticks, true);
  drawBottomTitle(axes, frame, titleOf(figure.y));
  axes.append("line").attr("class", "axis").attr("x1", frame.left).attr("x2", frame.left)
    .attr("y1", top).attr("y2", bottom);

  const spots: Spot[] = [];
  const groups = marks.map((mark, series) => seriesGroup(svg, series, mark));
  const start = scale.domain()[0] <= 0 ? scale(0) : frame.left;
  let y = top;
  used.forEach((row, place) => {
    if (place % 2 === 1) {
      axes.insert("rect", ":first-child").attr("class", "band").attr("x", 0).attr("y", y)
        .attr("width", width).attr("height", heights[place]);
    }
    drawTick(axes, frame.left - 9, y + heights[place] / 2 + 4, figure.x.names[place], "end");
    row.forEach(({ series, index }, turn) => {
      const [, value, error] = figure.series[series].points[index];
      const cx = scale(value);
      const cy = y + 6 + (turn + 0.5) * lane;
      const g = groups[series];
      g.append("path").attr("class", "line thin").attr("d", `M${start},${cy}H${cx}`)
        .attr("stroke-dasharray", marks[series].dash || null);
      if (error > 0) {
        const ends = [clamp(scale, value - error), clamp(scale, value + error)];
        g.append("path").attr("class", "error")
          .attr("d", `M${ends[0]},${cy}H${ends[1]}M${ends[0]},${cy - 3}v6M${ends[1]},${cy - 3}v6`);
      }
      drawMark(g, marks[series], cx, cy);
      spots.push({ series, index, x: cx, y: cy });
    });
    y += heights[place];
  });
  return { svg, spots, width, height: frame.height };
}

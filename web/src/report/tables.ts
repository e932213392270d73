// The numbers behind a figure, and the whole table of an experiment.
import { h } from "../shared/dom";
import { csvButtons } from "./csv";
import { figureId, type Experiment, type Figure } from "./data";
import { full, placeOf, titleOf } from "./numbers";

/** A row for each place, a column for each series, and one for its deviation if there is any. */
export function figureRows(figure: Figure): string[][] {
  const places = [...new Set(figure.series.flatMap((each) => each.points.map(([x]) => x)))];
  places.sort((a, b) => a - b);
  const varies = figure.series.map((each) => each.points.some(([, , error]) => error > 0));
  const head = [titleOf(figure.x)];
  figure.series.forEach((each, i) => {
    const name = each.whose === "ours" ? each.name : `${each.name} [${each.whose}]`;
    head.push(name);
    if (varies[i]) head.push(`${name} ±`);
  });
  const rows = places.map((place) => {
    const row = [placeOf({ ...figure.x, unit: "" }, place)];
    figure.series.forEach((each, i) => {
      const datum = each.points.find(([x]) => x === place);
      row.push(datum ? full(datum[1]) : "");
      if (varies[i]) row.push(datum ? String(Number(datum[2].toPrecision(2))) : "");
    });
    return row;
  });
  return [head, ...rows.map((row) => row.map((cell) => cell.replaceAll(",", "")))];
}

function element(
  [head, ...body]: string[][],
  left: (column: number) => boolean,
  above?: HTMLElement,
): HTMLElement {
  const side = (i: number) => (left(i) ? "left" : "right");
  const names = head.map((cell, i) => h("th", { class: side(i), scope: "col" }, cell));
  const cells = (row: string[]) => row.map((cell, i) => h("td", { class: side(i) }, cell));
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      h("thead", {}, above, h("tr", {}, ...names)),
      h("tbody", {}, ...body.map((row) => h("tr", {}, ...cells(row)))),
    ),
  );
}

export function figureTable(experiment: Experiment, figure: Figure, index: number): HTMLElement {
  return h(
    "details",
    { class: "numbers" },
    h("summary", {}, "Numbers"),
    csvButtons(`${figureId(experiment, index)}.csv`, () => figureRows(figure)),
    element(figureRows(figure), (column) => column === 0),
  );
}

export function wholeTable(experiment: Experiment): HTMLElement {
  const { columns, layout } = experiment;
  const above = layout.groups.map(({ title, columns: count }) =>
    h("th", { colspan: count, scope: "colgroup" }, title));
  const missing = columns.length - layout.groups.reduce((sum, group) => sum + group.columns, 0);
  if (above.length > 0 && missing > 0) above.push(h("th", { colspan: missing }));
  return h(
    "details",
    { class: "numbers" },
    h("summary", {}, `The whole table (${layout.cells.length} rows)`),
    csvButtons(`${experiment.experiment}.csv`, () => [columns, ...layout.cells]),
    element(
      [layout.names, ...layout.cells],
      (column) => layout.left[column],
      above.length > 0 ? h("tr", { class: "groups" }, ...above) : undefined,
    ),
  );
}

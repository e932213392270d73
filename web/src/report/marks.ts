// How series are told apart: by colour, by the shape of their marks, and by their lines. The
// paper's are dashed and hollow; references (bounds, formulas) are dotted and have no marks.
import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3";
import type { Series } from "./data";

export interface Mark {
  /** A colour of theme.css. */
  colour: string;
  dash: string;
  hollow: boolean;
  /** The path of a mark around 0, 0; empty, if there is none. */
  path: string;
}

const shapes = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
];
const paperDashes = ["6 4", "2 3", "10 4 2 4", "12 4"];
const referenceDashes = ["1 4", "1 3 5 3", "1 8"];
const colours = 7;

/** The name that a series shares with the same one of another engine, or of the paper. */
function family(name: string): string {
  return name.replace(/, (paper|sim|simgrid)$/, "");
}

export function marksOf(series: Series[]): Mark[] {
  const families: string[] = [];
  for (const each of series) {
    if (each.whose === "ours" && !families.includes(family(each.name))) {
      families.push(family(each.name));
    }
  }
  let ours = 0;
  let papers = 0;
  let references = 0;
  return series.map((each) => {
    const known = families.indexOf(family(each.name));
    const hue = `var(--series-${(known % colours) + 1})`;
    if (each.whose === "reference") {
      const dash = referenceDashes[references++ % referenceDashes.length];
      return { colour: "var(--quiet)", dash, hollow: true, path: "" };
    }
    if (each.whose === "paper") {
      const index = papers++;
      return {
        colour: known < 0 ? "var(--ink)" : hue,
        dash: paperDashes[index % paperDashes.length],
        hollow: true,
        path: symbol(shapes[(known < 0 ? index : known) % shapes.length], 95)() ?? "",
      };
    }
    const index = ours++;
    return {
      colour: hue,
      dash: index < colours ? "" : "14 3",
      hollow: false,
      path: symbol(shapes[index % shapes.length], 46)() ?? "",
    };
  });
}

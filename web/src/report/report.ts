// The page of `conch lab report`: what the experiments found, as figures, claims and tables.
import "../shared/theme.css";
import "./report.css";
import { h, inlineData } from "../shared/dom";
import { contents } from "./contents";
import type { Report } from "./data";
import { addHelp } from "./help";
import { overview } from "./overview";
import { section } from "./section";

function show(app: HTMLElement, report: Report): void {
  const sections = [overview(report), ...report.experiments.map(section)];
  const nav = contents(report, sections);
  app.append(nav, h("main", {}, ...sections));
  addHelp(nav, sections);
  // The place in the address was not there yet when the browser looked for it.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const app = document.getElementById("app")!;
const data = inlineData();
if (data === null) {
  app.append(
    h(
      "p",
      { class: "empty" },
      "This page has no data of its own: ",
      h("code", {}, "conch lab report --out DIR"),
      " writes it with what the experiments have found.",
    ),
  );
} else {
  show(app, JSON.parse(data) as Report);
}

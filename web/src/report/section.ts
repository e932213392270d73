// An experiment: its claims and verdicts, its figures, its table, and the command that repeats it.
import { h } from "../shared/dom";
import { copyButton } from "./csv";
import { claimId, figureId, idOf, seenIn, type Claim, type Experiment } from "./data";
import { FigureView } from "./figure";
import { wholeTable } from "./tables";
import { badge } from "./verdict";

function claimItem(experiment: Experiment, claim: Claim, index: number): HTMLElement {
  const seen = seenIn(experiment, claim);
  const where = seen === null
    ? claim.of
    : h("a", { href: `#${figureId(experiment, seen)}` }, claim.of);
  return h(
    "li",
    { class: "claim", id: claimId(experiment, index) },
    h("p", { class: "claim-verdict" }, badge(claim.verdict)),
    h(
      "div",
      {},
      h("p", { class: "says" }, claim.says, " ", h("span", { class: "of" }, where)),
      h(
        "dl",
        {},
        ...(claim.paper ? [h("dt", {}, "paper"), h("dd", {}, claim.paper)] : []),
        h("dt", {}, "here"),
        h("dd", {}, claim.ours),
      ),
    ),
  );
}

export function section(experiment: Experiment): HTMLElement {
  const figures = experiment.figures.map((figure, i) =>
    new FigureView(experiment, figure, i).element);
  const claims = experiment.claims.map((claim, i) => claimItem(experiment, claim, i));
  return h(
    "section",
    { id: idOf(experiment), "aria-labelledby": `${idOf(experiment)}-title` },
    h("h2", { id: `${idOf(experiment)}-title` }, experiment.experiment),
    h("p", { class: "about" }, experiment.about),
    h(
      "p",
      { class: "command" },
      h("code", {}, experiment.command),
      copyButton("Copy", () => experiment.command),
      h("span", { class: "quiet" }, `${experiment.seconds.toFixed(1)} s`),
    ),
    h("p", { class: "setting" }, experiment.setting.replaceAll("\n", " ")),
    claims.length > 0 && h("ol", { class: "claims" }, ...claims),
    h("div", { class: "figures" }, ...figures),
    experiment.remarks.length > 0 &&
      h("ul", { class: "remarks" }, ...experiment.remarks.map((text) => h("li", {}, text))),
    wholeTable(experiment),
  );
}

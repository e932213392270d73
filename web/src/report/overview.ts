// The top of the page: how many claims hold, and for each experiment which.
import { h } from "../shared/dom";
import { claimId, figureId, idOf, verdicts } from "./data";
import type { Experiment, Report, Verdict } from "./data";
import { className, sign } from "./verdict";

function count(report: Report, verdict: Verdict): number {
  const claims = report.experiments.flatMap((each) => each.claims);
  return claims.filter((claim) => claim.verdict === verdict).length;
}

const plural: Record<Verdict, string> = {
  holds: "hold",
  "holds in part": "hold in part",
  "does not hold": "do not hold",
  "not comparable": "cannot be compared",
};

function tally(report: Report): HTMLElement {
  const total = report.experiments.reduce((sum, each) => sum + each.claims.length, 0);
  const counts = verdicts.map((verdict) => ({ verdict, number: count(report, verdict) }));
  return h(
    "div",
    { class: "tally" },
    h(
      "p",
      {},
      h("strong", {}, `${count(report, "holds")} of ${total} claims hold`),
      ` as they are stated, ${count(report, "holds in part")} in part.`,
    ),
    h(
      "div",
      { class: "share", "aria-hidden": "true" },
      ...counts.filter(({ number }) => number > 0).map(({ verdict, number }) =>
        h("span", { class: className(verdict), style: `flex-grow:${number}` })),
    ),
    h(
      "ul",
      { class: "counts" },
      ...counts.map(({ verdict, number }) =>
        h("li", { class: className(verdict) }, sign(verdict), `${number} ${plural[verdict]}`)),
    ),
  );
}

/** What a figure is of, abbreviated and without the paper's name. */
function shortOf(of: string): string {
  return of.replace(/^[^,]+, /, "").replace("figure ", "fig. ").replace("equation ", "eq. ")
    .replace("section ", "§ ").replace("exercise ", "ex. ");
}

function row(experiment: Experiment): HTMLElement {
  const claims = experiment.claims.map((claim, index) =>
    h(
      "a",
      {
        href: `#${claimId(experiment, index)}`,
        class: className(claim.verdict),
        title: `${claim.verdict}: ${claim.says}`,
        "aria-label": `${claim.verdict}: ${claim.says}`,
      },
      sign(claim.verdict),
    ));
  const seen = new Set<string>();
  const figures = experiment.figures.flatMap((figure, index) => {
    if (seen.has(figure.of)) return [];
    seen.add(figure.of);
    return [h("a", { href: `#${figureId(experiment, index)}` }, shortOf(figure.of))];
  });
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("a", { href: `#${idOf(experiment)}` }, experiment.experiment)),
    h("td", { class: "figures" }, ...figures),
    h("td", { class: "signs" }, ...(claims.length > 0 ? claims : ["none"])),
  );
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${seconds.toFixed(1)} s`;
}

const scales: Record<string, string> = {
  full: "",
  quick: " This is the quick version: with all seeds and sizes some verdicts may differ.",
  smoke: " This is for tests, with one seed and hardly any sizes: its verdicts mean nothing.",
};

export function overview(report: Report): HTMLElement {
  return h(
    "header",
    { class: "overview", id: "overview" },
    h("h1", {}, "Lab report"),
    h(
      "p",
      { class: "quiet" },
      `conch ${report.version}, ${report.made}; ${report.experiments.length} experiments in ` +
        `${duration(report.seconds)}.${scales[report.scale] ?? ""}`,
    ),
    h(
      "p",
      { class: "lead" },
      "Every table and figure of the papers behind conch, reproduced: what they claim, what " +
        "they measured, and what is measured here. The papers' numbers are dashed and hollow, " +
        "and dots are formulas and bounds.",
    ),
    tally(report),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Experiments and claims" },
      h(
        "table",
        { class: "index" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["Experiment", "Figures", "Claims"].map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h("tbody", {}, ...report.experiments.map(row)),
      ),
    ),
  );
}

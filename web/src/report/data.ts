// What `conch lab report` puts into the page (src/lab_cli/lab_json.cpp writes it).

export type Verdict = "holds" | "holds in part" | "does not hold" | "not comparable";

export interface Claim {
  of: string;
  says: string;
  paper: string;
  ours: string;
  verdict: Verdict;
}

export interface Axis {
  label: string;
  unit: string;
  log: boolean;
  /** If there are any, x is an index into them. */
  names: string[];
}

/** x, y, and the standard deviation over the seeds. */
export type Datum = [number, number, number];

export interface Series {
  name: string;
  whose: "ours" | "paper" | "reference";
  points: Datum[];
}

export interface Figure {
  title: string;
  of: string;
  shape: "lines" | "bars" | "steps";
  x: Axis;
  y: Axis;
  series: Series[];
}

export interface Experiment {
  experiment: string;
  about: string;
  setting: string;
  /** All names differ. */
  columns: string[];
  rows: (string | number | null)[][];
  /** The table as it is printed. */
  layout: {
    groups: { title: string; columns: number }[];
    names: string[];
    left: boolean[];
    cells: string[][];
  };
  claims: Claim[];
  remarks: string[];
  figures: Figure[];
  seeds: [number, number];
  command: string;
  seconds: number;
}

export interface Report {
  version: string;
  made: string;
  scale: string;
  seconds: number;
  experiments: Experiment[];
}

export const verdicts: Verdict[] = ["holds", "holds in part", "does not hold", "not comparable"];

/** The papers, as figures and claims cite them. */
export const papers: Record<string, string> = {
  "lecture notes": "Mutual exclusion and elections",
  "Bertier 2004": "Bertier, Arantes, Sens: clusters",
  "Hernane 2015": "Hernane, Gustedt, Benyettou: data handover",
  "Muhammad 2005": "Muhammad, Cheema, Gupta: mutual exclusion over an overlay",
};

export function paperOf(experiment: Experiment): string {
  const cited = experiment.figures.map(({ of }) =>
    Object.keys(papers).find((paper) => of.includes(paper)));
  return cited.find((paper) => paper !== undefined) ?? "";
}

/** The ids of elements of the page. */
export const idOf = (experiment: Experiment) => experiment.experiment;
export const figureId = (experiment: Experiment, index: number) =>
  `${idOf(experiment)}-figure-${index + 1}`;
export const claimId = (experiment: Experiment, index: number) =>
  `${idOf(experiment)}-claim-${index + 1}`;

/** The figure that shows what a claim is about: one of the same place in the paper, if any. */
export function seenIn(experiment: Experiment, claim: Claim): number | null {
  const index = experiment.figures.findIndex((figure) => figure.of === claim.of);
  return index < 0 ? null : index;
}

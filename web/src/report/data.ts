// What `conch lab report` puts into the page (src/cli/lab_json.cpp writes it).

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
  /** If there are any, x is a place in them. */
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
  columns: string[];
  rows: string[][];
  layout: { groups: { title: string; columns: number }[]; left: boolean[] };
  claims: Claim[];
  remarks: string[];
  figures: Figure[];
  command: string;
  seeds: [number, number];
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

/** The documents, by the number that figures and claims cite. */
export const seeds: Record<string, string> = {
  "001": "Mutual exclusion and elections, lecture notes",
  "002": "Muhammad, Cheema, Gupta 2005: mutual exclusion over an overlay",
  "003": "Hernane, Gustedt, Benyettou 2015: data handover",
  "004": "Bertier, Arantes, Sens 2004: clusters",
};

export function seedOf(experiment: Experiment): string {
  const cited = experiment.figures.map((figure) => /seed (\d+)/.exec(figure.of)?.[1]);
  return cited.find((number) => number !== undefined) ?? "";
}

/** The places in the page. */
export const idOf = (experiment: Experiment) => experiment.experiment;
export const figureId = (experiment: Experiment, index: number) =>
  `${idOf(experiment)}-figure-${index + 1}`;
export const claimId = (experiment: Experiment, index: number) =>
  `${idOf(experiment)}-claim-${index + 1}`;

/** Where what a claim is about can be seen: a figure of the same place in the paper, if any. */
export function seenIn(experiment: Experiment, claim: Claim): number | null {
  const index = experiment.figures.findIndex((figure) => figure.of === claim.of);
  return index < 0 ? null : index;
}

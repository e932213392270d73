// Verdicts, as a sign and a word: never by colour alone.
import { h } from "../shared/dom";
import type { Verdict } from "./data";

const signs: Record<Verdict, string> = {
  holds: "✓",
  "holds in part": "◐",
  "does not hold": "✕",
  "not comparable": "–",
};

export const className = (verdict: Verdict) => `verdict ${verdict.replaceAll(" ", "-")}`;

export function badge(verdict: Verdict): HTMLElement {
  return h("span", { class: className(verdict) }, sign(verdict), verdict);
}

/** The sign alone, where the word is said otherwise. */
export function sign(verdict: Verdict): HTMLElement {
  return h("span", { class: "sign", "aria-hidden": "true" }, signs[verdict]);
}

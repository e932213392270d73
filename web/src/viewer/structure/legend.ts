// What the strokes and marks of a structure mean.
import { h } from "../../shared/dom";
import type { Scene } from "./scene";

export function legendOf(scene: Scene): HTMLElement[] {
  const entries = scene.legend.map(([style, text]) => entry(`line ${style}`, text));
  const election = scene.tokenWord !== undefined;
  if (!election) entries.push(entry("disc inside", "inside"), entry("disc waiting", "waiting"));
  if (scene.markWord) entries.push(entry("disc marked", scene.markWord));
  if (scene.nodes.some((node) => node.token))
    entries.push(entry("disc token", scene.tokenWord ?? "token"));
  if (scene.noteWord && scene.nodes.some((node) => node.note))
    entries.push(h("span", { class: "entry" }, `below a node: ${scene.noteWord}`));
  return entries;
}

function entry(swatch: string, text: string): HTMLElement {
  return h(
    "span",
    { class: "entry" },
    h("i", { class: `swatch ${swatch}`, "aria-hidden": "true" }),
    text,
  );
}

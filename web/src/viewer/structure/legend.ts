// What the strokes and marks of a structure mean.
import { h } from "../../shared/dom";
import type { Scene } from "./scene";

export function legendOf(scene: Scene): HTMLElement[] {
  const entries = scene.legend.map(([style, text]) => entry(`line ${style}`, text));
  entries.push(entry("disc inside", scene.tokenWord ? "" : "inside"));
  entries.push(entry("disc waiting", scene.tokenWord ? "" : "waiting"));
  if (scene.markWord) entries.push(entry("disc marked", scene.markWord));
  if (scene.nodes.some((node) => node.token)) entries.push(entry("disc token", scene.tokenWord ?? "token"));
  if (scene.nodes.some((node) => node.note)) entries.push(entry("", "below a node: its queue", "x y"));
  return entries.filter((element) => element.textContent !== "");
}

function entry(swatch: string, text: string, sample = ""): HTMLElement {
  if (sample) return text ? h("span", { class: "entry" }, text) : h("span");
  return h("span", { class: "entry" }, text && h("i", { class: `swatch ${swatch}`, "aria-hidden": "true" }), text);
}

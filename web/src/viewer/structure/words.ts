// A structure as text, a line for each node, for users who do not see the drawing.
import { Away } from "../../film/run";
import type { Moment, Scene } from "./scene";

const away: Record<Away, string> = {
  [Away.crashed]: "crashed",
  [Away.paused]: "paused",
  [Away.cutOff]: "cut off",
  [Away.gone]: "gone",
};

export function described(scene: Scene, moment: Moment): string[] {
  const { film } = moment;
  const meaning = new Map(scene.legend);
  return scene.nodes.map((node) => {
    const absent = moment.away(node.id);
    const parts = [
      absent !== undefined && away[absent],
      moment.inside.has(node.id) && "inside",
      moment.waiting.has(node.id) && "waiting",
      node.token && (scene.tokenWord ?? "token"),
      node.marked && !node.says?.length && scene.markWord,
      ...(node.says ?? []),
      ...scene.links
        .filter(
          (link) => link.from === node.id && meaning.has(link.style) && link.style !== "faint",
        )
        .map((link) => `${meaning.get(link.style)} ${film.name(link.to)}`),
      node.note && (node.note.startsWith("elected") ? node.note : `queue ${node.note}`),
    ].filter(Boolean);
    return `${film.name(node.id)}: ${parts.length > 0 ? parts.join(", ") : "nothing"}`;
  });
}

// The nodes of a scene, before a family of algorithms adds to them.
import { items } from "../../film/state";
import type { Places } from "./layout";
import type { Moment, Scene, SceneNode } from "./scene";

/** The nodes, with their tokens, and below each what its queue has. */
export function company(moment: Moment, ids: number[], where: Places, queue?: string): Scene {
  const nodes = ids.map((id): SceneNode => {
    const known = moment.fields(id);
    const waiting = queue ? items(known.get(queue)) : [];
    const holds =
      known.get("token") === "yes" || (known.has("asked") && moment.pointer(id, "holder") === id);
    return {
      id,
      ...where.get(id)!,
      token: holds,
      note: waiting.length > 0 ? waiting.join(" ") : undefined,
    };
  });
  return { nodes, links: [], boxes: [], legend: [], noteWord: "its queue" };
}

// Protocols over a DHT: the ring of identifiers, replicas with their votes and queues, and the
// paths on which requests wait.
import { none } from "../../film/film";
import { given, items, record, type Fields } from "../../film/state";
import { company } from "./company";
import { around } from "./layout";
import type { Moment, Scene, SceneLink, SceneNode, Size } from "./scene";

/** The scene by positions on the ring; zero is on top. */
export function overlay(moment: Moment, ids: number[], size: Size): Scene {
  const position = (id: number) => {
    const hex = moment.film.header.nodes[id].ring;
    return hex ? parseInt(hex.padStart(16, "0").slice(0, 8), 16) / 2 ** 32 : id / moment.film.nodes;
  };
  const sorted = [...ids].sort((a, b) => position(a) - position(b));
  const angles = apart(sorted.map((id) => position(id) * 2 * Math.PI));
  const { places, ring } = around(sorted, angles, size);
  const base = company(moment, ids, places);
  const links = base.nodes.flatMap((node) => roles(moment, node));
  const legend: Scene["legend"] = [
    ["vote", "voted for"],
    ["edge", "way to a replica"],
  ];
  const used = new Set(links.map((link) => link.style));
  return {
    ...base,
    ring,
    links,
    legend: legend.filter(([style]) => used.has(style)),
    markWord: base.nodes.some((node) => node.marked) ? "replica" : undefined,
  };
}

/** Marks a node as a replica with its vote or the holder with its queue; returns its links. */
function roles(moment: Moment, node: SceneNode): SceneLink[] {
  const links: SceneLink[] = [];
  const waiting = new Set<string>();
  const wait = (queue: string | undefined) => {
    for (const item of items(queue)) waiting.add(moment.film.name(asker(moment, item) ?? none));
  };
  const each = (field: string) => items(fieldOf(moment.fields(node.id), field)).map(record);
  for (const replica of each("served")) {
    node.marked = true;
    node.says = ["replica"];
    wait(replica.get("queue") ?? replica.get("waiting"));
    const owner = asker(moment, replica.get("owner"));
    if (owner !== undefined && replica.get("mode") !== "free")
      links.push({ from: node.id, to: owner, style: "vote" });
  }
  for (const way of [...each("ways"), ...each("entries")]) {
    wait(way.get("queue"));
    const next = moment.node(way.get("next"));
    if (next !== undefined) links.push({ from: node.id, to: next, style: "edge" });
  }
  const held = given(moment.fields(node.id).get("token"));
  if (held?.startsWith("HELD")) {
    node.token = true;
    wait(record(held).get("queue"));
  }
  if (waiting.size > 0) node.note = [...waiting].join(" ");
  return links.filter((link) => link.to !== node.id);
}

/** Non-End-to-End has the voting's fields within its field `voting`. */
function fieldOf(known: Fields, name: string): string | undefined {
  return known.get(name) ?? record(known.get("voting")).get(name);
}

/** The node whose request `PRIORITY(stamp 1, node 3)` is; undefined without a stamp. */
function asker(moment: Moment, priority: string | undefined): number | undefined {
  const known = record(priority);
  return known.get("stamp") === "0" ? undefined : moment.node(known.get("node"));
}

/** Positions that are so near that the nodes would cover one another are moved a little. */
function apart(angles: number[]): number[] {
  const least = Math.min(0.2, (2 * Math.PI * 0.85) / Math.max(1, angles.length));
  const moved = angles.slice();
  for (let round = 0; round < 40; ++round)
    for (let i = 0; i < moved.length; ++i) {
      const j = (i + 1) % moved.length;
      const gap = moved[j] - moved[i] + (j === 0 ? 2 * Math.PI : 0);
      if (j === i || gap >= least) continue;
      moved[i] -= (least - gap) / 2;
      moved[j] += (least - gap) / 2;
    }
  return moved;
}

// One scene a family of algorithms: which fields of the states are links, and where the nodes
// stand. The names of the fields are the algorithms' own (src/mutex, src/election, src/overlay).
import { fields, given, items, record } from "../../film/state";
import { around, circle, clusters, forest, star, type Places } from "./layout";
import type { LinkStyle, Moment, Scene, SceneLink, SceneNode, Size } from "./scene";

type Family = (moment: Moment, ids: number[], size: Size) => Scene;

/** The structure at a moment, of those nodes. */
export function sceneOf(moment: Moment, ids: number[], size: Size): Scene {
  const scene = (families[moment.film.header.family] ?? generic)(moment, ids, size);
  const shown = new Set(ids);
  scene.links = scene.links.filter((link) => shown.has(link.from) && shown.has(link.to));
  return scene;
}

const families: Record<string, Family> = {
  tree: (moment, ids, size) =>
    (hasField(moment, ids, "holder") ? raymond : naimiTrehel)(moment, ids, size),
  elmp,
  hierarchical,
  overlay,
  votes,
  ring: tokenRing,
  broadcast,
  central,
  "election-ring": electionRing,
  election: bully,
};

function naimiTrehel(moment: Moment, ids: number[], size: Size): Scene {
  const owner = (id: number) => moment.pointer(id, "owner");
  return {
    ...scene(moment, ids, forest(ids, owner, size)),
    links: [...pointers(moment, ids, "owner", "solid"), ...pointers(moment, ids, "next", "dashed")],
    legend: [
      ["solid", "owner"],
      ["dashed", "next"],
    ],
  };
}

/** The tree's edges stay where they are, and turn round. */
function raymond(moment: Moment, ids: number[], size: Size): Scene {
  const first = (id: number) =>
    moment.node(fields(moment.film.firstState(id)).get("holder"));
  return {
    ...scene(
      moment,
      ids,
      forest(ids, (id) => (first(id) === id ? undefined : first(id)), size),
      "queue",
    ),
    links: pointers(moment, ids, "holder", "solid").filter((link) => link.from !== link.to),
    legend: [["solid", "holder"]],
  };
}

/** Places in the line of an ELMP node, newest last. */
function places(moment: Moment, id: number) {
  return items(record(moment.fields(id).get("line")).get("places")).map(record);
}

function elmp(moment: Moment, ids: number[], size: Size): Scene {
  const links: SceneLink[] = pointers(moment, ids, "parent", "solid");
  for (const id of ids)
    for (const place of places(moment, id)) {
      const next = moment.node(record(place.get("next")).get("node"));
      if (next !== undefined && next !== id) links.push({ from: id, to: next, style: "dashed" });
    }
  const base = scene(
    moment,
    ids,
    forest(ids, (id) => moment.pointer(id, "parent"), size),
  );
  for (const node of base.nodes) {
    node.token = places(moment, node.id).some((place) => place.get("token") === "yes");
    const waiting = items(moment.fields(node.id).get("queue")).map((item) => originOf(item));
    if (waiting.length > 0) node.note = waiting.join(" ");
  }
  return {
    ...base,
    links,
    legend: [
      ["solid", "parent"],
      ["dashed", "next in line"],
    ],
  };
}

/** Who asked, of a queued operation. */
function originOf(item: string): string {
  return /origin (\d+)/.exec(item)?.[1] ?? item;
}

function hierarchical(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where, boxes } = clusters(ids, moment.film, size);
  return {
    ...scene(moment, ids, where, "r_queue"),
    boxes,
    links: [...pointers(moment, ids, "owner", "solid"), ...pointers(moment, ids, "next", "dashed")],
    legend: [
      ["solid", "owner"],
      ["dashed", "next"],
    ],
  };
}

/** By position on the ring of identifiers; zero is on top. */
function overlay(moment: Moment, ids: number[], size: Size): Scene {
  const position = (id: number) => {
    const hex = moment.film.header.nodes[id].ring;
    return hex ? parseInt(hex.slice(0, 8).padEnd(8, "0"), 16) / 2 ** 32 : id / moment.film.nodes;
  };
  const sorted = [...ids].sort((a, b) => position(a) - position(b));
  const angles = apart(sorted.map((id) => position(id) * 2 * Math.PI));
  const { places: where, ring } = around(sorted, angles, size);
  return { ...scene(moment, ids, where, "queue"), ring };
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

function votes(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where } = circle(ids, size);
  const links: SceneLink[] = [];
  const base = scene(moment, ids, where);
  for (const node of base.nodes) {
    const voted = votedFor(moment, node.id);
    if (voted !== undefined && voted !== node.id)
      links.push({ from: node.id, to: voted, style: "vote" });
    node.marked = voted !== undefined;
    const queue = items(moment.fields(node.id).get("queue")).map(
      (item) => record(item).get("node") ?? item,
    );
    if (queue.length > 0) node.note = queue.join(" ");
    if (voted !== undefined) node.says = [`voted for ${moment.film.name(voted)}`];
    for (const name of items(moment.fields(node.id).get("voting_set"))) {
      const member = moment.node(name);
      if (member !== undefined && member > node.id)
        links.push({ from: node.id, to: member, style: "faint" });
    }
  }
  return {
    ...base,
    links,
    legend: [
      ["vote", "voted for"],
      ["faint", "same voting set"],
    ],
    markWord: "has voted",
  };
}

/** `voted 3` or `voted PRIORITY(stamp 1, node 3)`. */
function votedFor(moment: Moment, id: number): number | undefined {
  const voted = given(moment.fields(id).get("voted"));
  return moment.node(record(voted).get("node") ?? voted);
}

function tokenRing(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where } = circle(ids, size);
  return {
    ...scene(moment, ids, where),
    links: pointers(moment, ids, "successor", "edge"),
    legend: [["edge", "successor"]],
  };
}

function broadcast(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where, ring } = circle(ids, size);
  const links: SceneLink[] = [];
  const base = scene(moment, ids, where, "queue");
  for (const node of base.nodes) {
    for (const deferred of items(moment.fields(node.id).get("deferred"))) {
      const owed = moment.node(deferred.split(":")[0]);
      if (owed !== undefined) links.push({ from: node.id, to: owed, style: "dashed" });
    }
    const token = given(moment.fields(node.id).get("token"));
    if (token?.startsWith("TOKEN")) {
      node.token = true;
      const queue = items(record(token).get("queue"));
      if (queue.length > 0) node.note = queue.join(" ");
    }
  }
  return { ...base, links, ring, legend: links.length > 0 ? [["dashed", "owes a reply"]] : [] };
}

function central(moment: Moment, ids: number[], size: Size): Scene {
  const server = ids.map((id) => moment.pointer(id, "server")).find((id) => id !== undefined);
  const links: SceneLink[] = [];
  const base = scene(moment, ids, star(ids, server ?? ids[0], size));
  for (const node of base.nodes) {
    if (server !== undefined && node.id !== server)
      links.push({ from: node.id, to: server, style: "faint" });
    for (const item of items(moment.fields(node.id).get("holders"))) {
      const client = moment.node(record(item).get("client"));
      if (client !== undefined && client !== node.id)
        links.push({ from: node.id, to: client, style: "solid" });
    }
    const queue = items(moment.fields(node.id).get("queue")).map(
      (item) => record(item).get("client") ?? item,
    );
    if (queue.length > 0) node.note = queue.join(" ");
    if (node.id === server) node.says = ["the server"];
  }
  return { ...base, links, legend: [["solid", "granted to"]] };
}

function electionRing(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where } = circle(ids, size);
  const links: SceneLink[] = ids.map((id, i) => ({
    from: id,
    to: ids[(i + 1) % ids.length],
    style: "edge",
  }));
  return elected(moment, ids, where, links, (id) => moment.fields(id).get("participant") === "yes");
}

function bully(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where } = circle(ids, size);
  const takesPart = (id: number) => /standing|waiting/.test(moment.fields(id).get("stance") ?? "");
  const links = pointers(moment, ids, "elected", "solid").filter((link) => link.from !== link.to);
  const base = elected(moment, ids, where, links, takesPart);
  for (const node of base.nodes) node.note = undefined;
  base.legend.push(["solid", "has elected"]);
  return base;
}

/** With the coordinators that somebody believes in. */
function elected(
  moment: Moment,
  ids: number[],
  where: Places,
  links: SceneLink[],
  takesPart: (id: number) => boolean,
): Scene {
  const base = scene(moment, ids, where);
  for (const node of base.nodes) {
    const chosen = given(moment.fields(node.id).get("elected"));
    node.marked = takesPart(node.id);
    node.token =
      chosen !== undefined && moment.node(chosen) === node.id && moment.away(node.id) === undefined;
    if (chosen !== undefined && !node.token) node.note = `elected ${chosen}`;
    if (node.marked) node.says = ["takes part"];
  }
  return {
    ...base,
    links,
    legend: [],
    tokenWord: "coordinator",
    markWord: "takes part",
    noteWord: undefined,
  };
}

function generic(moment: Moment, ids: number[], size: Size): Scene {
  const apartClusters =
    new Set(ids.map((id) => moment.film.header.nodes[id].cluster ?? 0)).size > 1;
  if (apartClusters) {
    const { places: where, boxes } = clusters(ids, moment.film, size);
    return { ...scene(moment, ids, where, "queue"), boxes };
  }
  const { places: where, ring } = circle(ids, size);
  return { ...scene(moment, ids, where, "queue"), ring };
}

/** The nodes, with their tokens, and below each what its queue has. */
function scene(moment: Moment, ids: number[], where: Places, queue?: string): Scene {
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

function pointers(moment: Moment, ids: number[], field: string, style: LinkStyle): SceneLink[] {
  const links: SceneLink[] = [];
  for (const from of ids) {
    const to = moment.pointer(from, field);
    if (to !== undefined) links.push({ from, to, style });
  }
  return links;
}

function hasField(moment: Moment, ids: number[], field: string): boolean {
  return ids.some((id) => moment.fields(id).has(field));
}

// A scene for each family of algorithms: which fields of the states are links, and where the nodes
// stand. The names of the fields are the algorithms' own (src/mutex, src/election, src/overlay).
import { fields, given, items, record } from "../../film/state";
import { company } from "./company";
import { circle, clusters, forest, star, type Places } from "./layout";
import { overlay } from "./overlay";
import type { LinkStyle, Moment, Scene, SceneLink, Size } from "./scene";

type Family = (moment: Moment, ids: number[], size: Size) => Scene;

/** The structure of these nodes at a moment. */
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
    ...company(moment, ids, forest(ids, owner, size)),
    links: [...pointers(moment, ids, "owner", "solid"), ...pointers(moment, ids, "next", "dashed")],
    legend: [
      ["solid", "owner"],
      ["dashed", "next"],
    ],
  };
}

/** The tree's edges stay where they are; only their directions change. */
function raymond(moment: Moment, ids: number[], size: Size): Scene {
  const first = (id: number) => moment.node(fields(moment.film.firstState(id)).get("holder"));
  return {
    ...company(
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
  const base = company(
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

/** The node that asked for a queued operation. */
function originOf(item: string): string {
  return /origin (\d+)/.exec(item)?.[1] ?? item;
}

function hierarchical(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where, boxes } = clusters(ids, moment.film, size);
  return {
    ...company(moment, ids, where, "r_queue"),
    boxes,
    links: [...pointers(moment, ids, "owner", "solid"), ...pointers(moment, ids, "next", "dashed")],
    legend: [
      ["solid", "owner"],
      ["dashed", "next"],
    ],
  };
}

function votes(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where } = circle(ids, size);
  const links: SceneLink[] = [];
  const base = company(moment, ids, where);
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
  const { places: where } = circle(inOrder(moment, ids, "successor"), size);
  return {
    ...company(moment, ids, where),
    links: pointers(moment, ids, "successor", "edge"),
    legend: [["edge", "successor"]],
  };
}

/** The nodes as they follow one another, and then those that are not in that ring. */
function inOrder(moment: Moment, ids: number[], field: string): number[] {
  const order: number[] = [];
  const left = new Set(ids);
  for (let id: number | undefined = ids[0]; id !== undefined && left.delete(id);) {
    order.push(id);
    id = moment.node(fields(moment.film.firstState(id)).get(field));
  }
  return [...order, ...left];
}

function broadcast(moment: Moment, ids: number[], size: Size): Scene {
  const { places: where, ring } = circle(ids, size);
  const links: SceneLink[] = [];
  const base = company(moment, ids, where, "queue");
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
  const base = company(moment, ids, star(ids, server ?? ids[0], size));
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
  const order = inOrder(moment, ids, "neighbour");
  const { places: where } = circle(order, size);
  const links: SceneLink[] = order.map((id, i) => ({
    from: id,
    to: order[(i + 1) % order.length],
    style: "edge",
  }));
  const takesPart = (id: number) => moment.fields(id).get("participant") === "yes";
  return elected(moment, ids, where, links, takesPart);
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

/** A scene with the coordinators that nodes believe in. */
function elected(
  moment: Moment,
  ids: number[],
  where: Places,
  links: SceneLink[],
  takesPart: (id: number) => boolean,
): Scene {
  const base = company(moment, ids, where);
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
    return { ...company(moment, ids, where, "queue"), boxes };
  }
  const { places: where, ring } = circle(ids, size);
  return { ...company(moment, ids, where, "queue"), ring };
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

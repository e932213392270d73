// How links and messages bend between nodes.

export interface Point {
  x: number;
  y: number;
}

/** A curve from one node's edge to the other's, bent to the left of its way. */
export function curve(from: Point, to: Point, bend: number, gap: number): string {
  const { c, a, b } = bow(from, to, bend, gap);
  const text = (point: Point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`;
  return `M${text(a)}Q${text(c)} ${text(b)}`;
}

function bow(from: Point, to: Point, bend: number, gap: number) {
  if (from.x === to.x && from.y === to.y) to = { x: from.x + 0.1, y: from.y };
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const c = { x: (from.x + to.x) / 2 + dy * bend, y: (from.y + to.y) / 2 - dx * bend };
  return { c, a: towards(from, c, gap), b: towards(to, c, gap) };
}

/** A point on such a curve. */
export function along(from: Point, to: Point, bend: number, gap: number, share: number): Point {
  const { c, a, b } = bow(from, to, bend, gap);
  const t = Math.min(0.97, Math.max(0.03, share));
  const mix = (p: number, q: number, r: number) =>
    (1 - t) * (1 - t) * p + 2 * t * (1 - t) * q + t * t * r;
  return { x: mix(a.x, c.x, b.x), y: mix(a.y, c.y, b.y) };
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(distance / length, 0.45);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

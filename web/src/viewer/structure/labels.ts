// Where the types of messages stand in a structure: beside their ways, and not on one another.
import type { Flight } from "../../film/run";
import { along } from "./curves";
import type { Place, Size } from "./scene";

/** Up to so many messages have labels. */
const most = 6;
const width = 62;
const height = 13;

export function labelPlaces(
  flights: Flight[],
  at: Map<number, Place>,
  bend: (flight: Flight) => number,
  radius: number,
  size: Size,
): Map<Flight, Place> {
  const places = new Map<Flight, Place>();
  if (flights.length > most) return places;
  for (const flight of flights) {
    const [from, to] = [at.get(flight.from)!, at.get(flight.to)!];
    const far = Math.hypot(to.x - from.x, to.y - from.y);
    // Farther out where there is little room between the nodes.
    const lift = Math.max(1.3, 44 / (far * 0.14 + 0.1));
    const { x, y } = along(from, to, bend(flight) * lift, radius, 0.42);
    const place = { x: Math.max(34, Math.min(size.width - 34, x)), y: y + 4 };
    const covers = (other: Place) =>
      Math.abs(other.x - place.x) < width && Math.abs(other.y - place.y) < height;
    for (let tries = 0; tries < most && [...places.values()].some(covers); ++tries)
      place.y += height;
    places.set(flight, place);
  }
  return places;
}

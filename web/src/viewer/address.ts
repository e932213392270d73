// The moment and what is chosen, in the part of the page's address behind the #, so that a link
// opens it again. Events are counted from 1 there, as they are on the page.
import { everything, type Filter } from "./filter";
import type { AxisMode } from "./diagram/axis";

export interface Address {
  event?: number;
  chosen?: number;
  axis?: AxisMode;
  filter: Filter;
}

export function parseAddress(hash: string, kinds: string[]): Address {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string) => {
    const value = Number(given.get(name));
    return Number.isInteger(value) && value > 0 ? value - 1 : undefined;
  };
  const axis = given.get("axis");
  const hidden = (given.get("hide") ?? "").split(",").map((kind) => kinds.indexOf(kind));
  const filter = {
    ...everything(),
    nodes: given.get("nodes") ?? "",
    hidden: new Set(hidden.filter((kind) => kind >= 0)),
  };
  return {
    event: number("event"),
    chosen: number("chosen"),
    axis: axis === "time" || axis === "order" ? axis : undefined,
    filter,
  };
}

export function formatAddress(address: Address, kinds: string[]): string {
  const parts: string[] = [];
  if (address.event !== undefined) parts.push(`event=${address.event + 1}`);
  if (address.chosen !== undefined && address.chosen !== address.event)
    parts.push(`chosen=${address.chosen + 1}`);
  if (address.axis) parts.push(`axis=${address.axis}`);
  if (address.filter.nodes.trim())
    parts.push(`nodes=${encodeURIComponent(address.filter.nodes.trim())}`);
  const hidden = [...address.filter.hidden].map((kind) => kinds[kind]).filter(Boolean);
  if (hidden.length > 0) parts.push(`hide=${hidden.map(encodeURIComponent).join(",")}`);
  return `#${parts.join("&")}`;
}

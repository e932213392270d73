// The theme's colours for what is drawn on a canvas. They are read again when the scheme changes.

export interface Palette {
  page: string;
  panel: string;
  sunken: string;
  line: string;
  ink: string;
  quiet: string;
  accent: string;
  inside: string;
  waiting: string;
  danger: string;
  message: string;
  token: string;
  away: string;
  text: string;
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    page: colour("page"),
    panel: colour("panel"),
    sunken: colour("sunken"),
    line: colour("line"),
    ink: colour("ink"),
    quiet: colour("quiet"),
    accent: colour("accent"),
    inside: colour("inside"),
    waiting: colour("waiting"),
    danger: colour("danger"),
    message: colour("message"),
    token: colour("token"),
    away: colour("away"),
    text: style.fontFamily,
  };
}

/** Calls `changed` when the scheme turns dark or light. Returns a function that ends this. */
export function onScheme(changed: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}

/** `#rrggbb` as numbers. */
export function rgb(colour: string): [number, number, number] {
  const value = parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

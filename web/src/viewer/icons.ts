// Small drawings for buttons, in the colour of the text.

const paths = {
  play: "M5 3 L13 8 L5 13 Z",
  pause: "M4 3 H7 V13 H4 Z M9 3 H12 V13 H9 Z",
  back: "M11 3 L5 8 L11 13 Z",
  forward: "M5 3 L11 8 L5 13 Z",
  previous: "M3 3 H5 V13 H3 Z M13 3 L6 8 L13 13 Z",
  next: "M11 3 H13 V13 H11 Z M3 3 L10 8 L3 13 Z",
  plus: "M7 3 H9 V7 H13 V9 H9 V13 H7 V9 H3 V7 H7 Z",
  minus: "M3 7 H13 V9 H3 Z",
  fit: "M2 3 H4 V13 H2 Z M12 3 H14 V13 H12 Z M5 8 L8 5 V7 H8.5 V5 L11 8 L8.5 11 V9 H8 V11 Z",
};

export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

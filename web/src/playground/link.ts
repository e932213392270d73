// The whole run in the part of the page's address behind the #: the seed, the lines of the script,
// and how many of them have happened. `#seed=1&run=nodes_4_ring;request_2;deliver_0~1_TOKEN`.

export interface Link {
  seed: number;
  lines: string[];
  /** How many of the lines have happened; those after them can be redone. */
  at: number;
}

/** Short forms that keep a link readable; the marks themselves are escaped. */
const short: [string, string][] = [
  [" -> ", "~"],
  [" | ", "!"],
  [" ", "_"],
];
const marks = /[;~!_%*']/g;
const escape = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;

export function formatLink({ seed, lines, at }: Link): string {
  const written = lines.map((line) => {
    let text = line.replace(marks, escape);
    for (const [long, mark] of short) text = text.replaceAll(long, mark);
    return text.replace(/[^\w.~!,;:@%*()-]/g, (other) => encodeURIComponent(other));
  });
  const place = at < lines.length ? `&at=${at}` : "";
  return `#seed=${seed}${place}&run=${written.join(";")}`;
}

/** Returns null if there is no run in it. */
export function parseLink(hash: string): Link | null {
  const found = /^#seed=(\d+)(?:&at=(\d+))?&run=(.*)$/.exec(hash);
  if (!found) return null;
  try {
    const lines = found[3]
      .split(";")
      .filter(Boolean)
      .map((written) => {
        let text = written;
        for (const [long, mark] of short) text = text.replaceAll(mark, long);
        return decodeURIComponent(text);
      });
    const at = found[2] === undefined ? lines.length : Math.min(Number(found[2]), lines.length);
    return { seed: Number(found[1]) >>> 0, lines, at };
  } catch {
    return null; // a malformed escape
  }
}

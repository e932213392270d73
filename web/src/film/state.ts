// The state of a node as conch prints it: `owner 0, next -, queue {1, 2}, line LINE(self 0, places
// {...})`.

export type Fields = Map<string, string>;

/** The parts between commas, but not those within braces or parentheses. */
export function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (c === "(" || c === "{") ++depth;
    else if (c === ")" || c === "}") --depth;
    else if (c === "," && depth === 0) {
      parts.push(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  const rest = text.slice(begin).trim();
  if (rest) parts.push(rest);
  return parts;
}

/** The fields by name, in the order of the text. If a name occurs twice, the first one counts. */
export function fields(text: string | null | undefined): Fields {
  const found: Fields = new Map();
  for (const part of split(text ?? "")) {
    const blank = part.indexOf(" ");
    const name = blank < 0 ? part : part.slice(0, blank);
    if (!found.has(name)) found.set(name, blank < 0 ? "" : part.slice(blank + 1).trim());
  }
  return found;
}

/** The items of `{1, 2}`; of anything else, nothing. */
export function items(value: string | undefined): string[] {
  if (!value?.startsWith("{") || !value.endsWith("}")) return [];
  return split(value.slice(1, -1));
}

/** The fields of `SEAT(node 8, place 3)`; of anything else, none. */
export function record(value: string | undefined): Fields {
  const open = value?.indexOf("(") ?? -1;
  if (open <= 0 || !value!.endsWith(")")) return new Map();
  return fields(value!.slice(open + 1, -1));
}

/** The value of a field, unless it is empty or `-`. */
export function given(value: string | undefined): string | undefined {
  return value === undefined || value === "-" || value === "" ? undefined : value;
}

/** A field of two states; undefined in a state that does not have it. */
export interface Change {
  name: string;
  before?: string;
  after?: string;
  changed: boolean;
}

export function compare(before: string | null, after: string | null): Change[] {
  const was = fields(before);
  const is = fields(after);
  const names = [...is.keys(), ...[...was.keys()].filter((name) => !is.has(name))];
  return names.map((name) => ({
    name,
    before: was.get(name),
    after: is.get(name),
    changed: before !== null && was.get(name) !== is.get(name),
  }));
}

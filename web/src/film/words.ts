// An event as a sentence.
import type { Film } from "./film";

const verbs: Record<string, string> = {
  request: "asks",
  enter: "enters",
  exit: "leaves",
  cancel: "cancels",
  withdrawn: "is withdrawn",
  send: "sends",
  receive: "receives",
  lose: "loses",
  duplicate: "sends once more",
  tell: "tells",
  told: "is told",
  join: "joins",
  joined: "has joined",
  leave: "leaves the group",
  left: "has left",
  crash: "crashes",
  restart: "restarts",
  pause: "is paused",
  resume: "resumes",
  suspect: "suspects",
  partition: "is cut off",
  heal: "is reached again",
  elect: "calls an election",
  elected: "elects",
  retire: "retires",
  lost: "has lost the lock",
  epoch: "begins an epoch",
  gap: "recorded nothing for a while",
};

export function verbOf(film: Film, event: number): string {
  const word = film.wordOf(event);
  return verbs[word] ?? word;
}

/** `1 sends REQUEST(origin 1) to 0`. */
export function sentence(film: Film, event: number): string {
  const word = film.wordOf(event);
  const who = film.name(film.node[event]);
  const peer = film.peer[event] < film.nodes ? film.name(film.peer[event]) : "";
  const said = film.detailOf(event) || film.kindOf(event);
  const verb = verbOf(film, event);
  switch (word) {
    case "send":
    case "lose":
    case "duplicate":
      return clean(`${who} ${verb} ${said}${peer && ` to ${peer}`}`);
    case "receive":
      return clean(`${who} ${verb} ${said}${peer && ` from ${peer}`}`);
    case "tell":
      return clean(`${who} ${verb} ${peer}`);
    case "told":
      return clean(`${who} ${verb}${peer && ` by ${peer}`}`);
    case "enter":
      return clean(`${who} ${verb}${said && ` with ${/^\d/.test(said) ? `fence ${said}` : said}`}`);
    case "elected":
      return clean(`${who} ${peer === who ? "is the coordinator" : `${verb} ${peer || said}`}`);
    default:
      return clean(`${who} ${verb} ${peer}${said && ` (${said})`}`);
  }
}

function clean(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** When it happened: `step 7`, `1.5 ms`. */
export function when(film: Film, event: number): string {
  return film.header.unit === "step" ? `step ${film.at[event]}` : duration(film.at[event]);
}

/** Formats nanoseconds, as finely as `step` needs. */
export function duration(ns: number, step = 0): string {
  const sizes: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ];
  const size = Math.max(Math.abs(ns), step);
  const [unit, name] = sizes.find(([value]) => size >= value) ?? sizes[3];
  const fine = step > 0 ? Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)) : 3;
  const value = (ns / unit).toFixed(Math.min(6, fine));
  return `${step > 0 || !value.includes(".") ? value : value.replace(/\.?0+$/, "")} ${name}`;
}

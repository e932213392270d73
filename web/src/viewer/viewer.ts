// The page of `conch view`: fetches the film, or finds it in the page, and shows it. How long that
// takes is in `conchTimings`, for the tests to print.
import "../shared/theme.css";
import { Film } from "../film/film";
import { h, inlineData } from "../shared/dom";
import { Viewer } from "./view";

interface Timings {
  /** From the navigation until everything is drawn, in milliseconds. */
  opened?: number;
  /** When the film was fetched and read, and the viewer was made. */
  stages: Record<string, number>;
  /** How long each drawing took; the last thousand. */
  frames: number[];
}

const timings: Timings = { stages: {}, frames: [] };
Object.assign(window, { conchTimings: timings });
const app = document.getElementById("app")!;
let viewer: Viewer | null = null;

function stage(name: string): void {
  timings.stages[name] = performance.now();
}

async function bytes(): Promise<ArrayBuffer> {
  const inline = inlineData();
  if (inline !== null) {
    const text = atob(inline.trim());
    const array = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) array[i] = text.charCodeAt(i);
    return array.buffer;
  }
  const answer = await fetch("film");
  if (!answer.ok)
    throw new Error(`the film cannot be loaded: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

function frame(ms: number): void {
  timings.frames.push(ms);
  if (timings.frames.length > 1000) timings.frames.shift();
  if (timings.opened !== undefined) return;
  timings.opened = performance.now();
  performance.measure("conch: open", { start: 0, end: timings.opened });
}

function open(film: Film): void {
  viewer?.dispose();
  app.replaceChildren();
  document.title = `${film.header.title || film.header.algorithm || "A run"} - Conch`;
  viewer = new Viewer(app, film, { address: true, onFrame: frame });
  Object.assign(window, { conchViewer: viewer });
  stage("made");
}

function complain(error: unknown): void {
  const what = error instanceof Error ? error.message : String(error);
  app.replaceChildren(
    h(
      "main",
      { class: "nothing" },
      h("h1", {}, "No run to show"),
      h("p", { role: "alert" }, what),
      h("p", { class: "quiet" }, "Drop a film here (docs/view.md), or choose one:"),
      h("input", {
        type: "file",
        "aria-label": "A film",
        onchange: (event: Event) => taken((event.target as HTMLInputElement).files),
      }),
    ),
  );
}

async function taken(files: FileList | null | undefined): Promise<void> {
  if (!files?.length) return;
  try {
    open(new Film(await files[0].arrayBuffer()));
  } catch (error) {
    complain(error);
  }
}

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  void taken(event.dataTransfer?.files);
});

async function begin(): Promise<void> {
  app.append(h("p", { class: "loading quiet", role: "status" }, "Opening the run …"));
  const found = await bytes();
  stage("fetched");
  const film = new Film(found);
  stage("read");
  open(film);
}

begin().catch(complain);

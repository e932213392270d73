// A run that can be undone. The run is its script: going back runs the lines before again.
import type { Module, Sight } from "./module";

export interface Step {
  line: string;
  printed: string;
  /** The length of the film after it. */
  events: number;
}

export class Session {
  seed = 1;
  /** Processes ask and leave by themselves. */
  lively = false;
  /** What has happened. */
  readonly steps: Step[] = [];
  /** Lines that were undone, the next one last. */
  private undone: string[] = [];
  sight: Sight | null = null;

  constructor(
    readonly module: Module,
    private readonly changed: () => void,
  ) {}

  get lines(): string[] {
    return this.steps.map((step) => step.line);
  }

  get ahead(): string[] {
    return [...this.undone].reverse();
  }

  get canUndo(): boolean {
    return this.steps.length > 1;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** Runs the first `at` lines anew; the rest can be redone. Returns what went wrong. */
  open(lines: string[], at = lines.length): string {
    this.module.begin();
    this.steps.length = 0;
    this.undone = lines.slice(at).reverse();
    let wrong = "";
    for (const line of lines.slice(0, at)) wrong ||= this.perform(line);
    this.see();
    return wrong;
  }

  /** Runs these lines. Returns why one cannot be run, or "". */
  do(...lines: string[]): string {
    this.undone = [];
    let wrong = "";
    for (const line of lines) wrong ||= this.perform(line);
    this.see();
    return wrong;
  }

  /** Runs what comes next by itself, up to `most` times. Returns whether anything came. */
  advance(most = 1): boolean {
    let any = false;
    for (let left = most; left > 0; --left) {
      const line = this.next();
      if (line === "" || this.perform(line) !== "") break;
      any = true;
      this.undone = [];
    }
    if (any) this.see();
    return any;
  }

  /** The line that would come next by itself. */
  next(): string {
    return this.module.draw(this.seed, this.lively);
  }

  undo(): void {
    if (this.canUndo) this.back(this.steps.length - 1);
  }

  redo(): void {
    const line = this.undone.pop();
    if (line === undefined) return;
    this.perform(line);
    this.see();
  }

  /** Goes back to the first `count` lines; the others can be redone. */
  back(count: number): void {
    const lines = [...this.lines, ...this.ahead];
    this.open(lines, count);
  }

  /** The run as a file for `conch replay`. */
  scenario(): string {
    return this.module.replay(this.lines.join("\n\n") + "\n");
  }

  private perform(line: string): string {
    const printed = this.module.run(line);
    const error = /^error: (.*)$/m.exec(printed);
    if (error && printed.startsWith("error: ")) return error[1];
    this.steps.push({ line, printed, events: this.module.events() });
    return "";
  }

  private see(): void {
    this.sight = this.module.sight();
    this.changed();
  }
}

/** The commands of a scenario file, without what they print. */
export function commandsOf(text: string): string[] {
  const lines: string[] = [];
  let printed = false;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#")) printed = false;
    if (/^----$/.test(line)) printed = true;
    else if (!printed && line !== "" && (!line.startsWith("#") || /^# (hold|let go) /.test(line)))
      lines.push(line);
  }
  return lines;
}

// Gestures on the diagram: drag to pan, wheel and pinch to zoom, click, hover, drag the ruler to
// scrub.

export interface GestureHooks {
  pan: (dx: number, dy: number) => void;
  zoom: (factor: number, x: number) => void;
  zoomRows: (factor: number, y: number) => void;
  click: (x: number, y: number) => void;
  hover: (x: number, y: number) => void;
  leave: () => void;
  /** Whether a drag that begins here moves the moment. */
  scrubs: (x: number, y: number) => boolean;
  scrub: (x: number) => void;
}

interface Finger {
  x: number;
  y: number;
}

export class Gestures {
  private readonly fingers = new Map<number, Finger>();
  private moved = 0;
  private scrubbing = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly hooks: GestureHooks,
  ) {
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event, true));
    element.addEventListener("pointercancel", (event) => this.up(event, false));
    element.addEventListener("pointerleave", () => this.hooks.leave());
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private place(event: MouseEvent): Finger {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.place(event);
    this.element.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, at);
    if (this.fingers.size > 1) {
      this.scrubbing = false;
      return;
    }
    this.moved = 0;
    this.scrubbing = this.hooks.scrubs(at.x, at.y);
    if (this.scrubbing) this.hooks.scrub(at.x);
  }

  private move(event: PointerEvent): void {
    const at = this.place(event);
    const before = this.fingers.get(event.pointerId);
    if (!before) return this.hooks.hover(at.x, at.y);
    this.hooks.leave();
    if (this.fingers.size === 1) {
      this.moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
      if (this.scrubbing) this.hooks.scrub(at.x);
      else if (this.moved > 4) this.hooks.pan(at.x - before.x, at.y - before.y);
      else return;
    } else if (this.fingers.size === 2) {
      const [other] = [...this.fingers]
        .filter(([id]) => id !== event.pointerId)
        .map(([, finger]) => finger);
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(at.x - other.x, at.y - other.y);
      if (was > 4 && is > 4) this.hooks.zoom(was / is, (at.x + other.x) / 2);
      this.moved = 100;
    }
    this.fingers.set(event.pointerId, at);
  }

  private up(event: PointerEvent, click: boolean): void {
    const at = this.fingers.get(event.pointerId);
    this.fingers.delete(event.pointerId);
    if (at && click && this.fingers.size === 0 && this.moved <= 4 && !this.scrubbing)
      this.hooks.click(at.x, at.y);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const at = this.place(event);
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (sideways) this.hooks.pan(-event.deltaX * unit, 0);
    else if (event.shiftKey) this.hooks.zoomRows(Math.exp(-event.deltaY * unit * 0.002), at.y);
    else if (event.altKey) this.hooks.pan(0, -event.deltaY * unit);
    else this.hooks.zoom(Math.exp(event.deltaY * unit * 0.002), at.x);
  }
}

// Moving and zooming a picture by pointer, wheel and pinch.

export class Hands {
  #camera; #svg; #pointers = new Map();

  constructor(camera, svg) {
    this.#camera = camera;
    this.#svg = svg;
  }

  /** Follows an event of the pointer or the wheel. */
  take(event) {
    switch (event.type) {
    case "wheel": return this.#wheel(event);
    case "pointerdown": return this.#down(event);
    case "pointermove": return this.#move(event);
    default: this.#pointers.delete(event.pointerId);
    }
  }

  #at(event) {
    const box = this.#svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #wheel(event) {
    const camera = this.#camera;
    if (event.ctrlKey || event.metaKey) camera.zoomBy(Math.exp(-event.deltaY / 200), ...this.#at(event));
    else if (event.shiftKey && !event.deltaX) camera.pan(-event.deltaY, 0);
    else camera.pan(-event.deltaX, -event.deltaY);
  }

  #down(event) {
    if (event.button) return;
    this.#camera.dragged = false;
    this.#pointers.set(event.pointerId, { at: this.#at(event), start: this.#at(event) });
  }

  #move(event) {
    const camera = this.#camera, pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    if (event.pointerType === "mouse" && !event.buttons) return void this.#pointers.delete(event.pointerId);
    const [x, y] = this.#at(event);
    if (Math.hypot(x - pointer.start[0], y - pointer.start[1]) > 4 && !camera.dragged) {
      camera.dragged = true;
      // One that has been let go of while this module came cannot be captured.
      try { this.#svg.setPointerCapture(event.pointerId); } catch { /* it is over */ }
    }
    const other = [...this.#pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const before = Math.hypot(pointer.at[0] - other.at[0], pointer.at[1] - other.at[1]);
      const after = Math.hypot(x - other.at[0], y - other.at[1]);
      if (before > 0) camera.zoomBy(after / before, (x + other.at[0]) / 2, (y + other.at[1]) / 2);
      camera.pan((x - pointer.at[0]) / 2, (y - pointer.at[1]) / 2);
    } else if (camera.dragged) {
      camera.pan(x - pointer.at[0], y - pointer.at[1]);
    }
    pointer.at = [x, y];
  }
}

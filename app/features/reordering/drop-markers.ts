import type { Box } from "~/features/selection/range";

export class DropMarkers {
  #line: HTMLElement | null = null;
  #label: HTMLElement | null = null;

  line(box: Box | null): void {
    this.#line ??= added("drop-line");
    const { left, top, right, bottom } = box ?? { left: 0, top: 0, right: 0, bottom: 0 };
    Object.assign(this.#line.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  }

  label(text: string, { x, y }: { x: number; y: number }): void {
    this.#label ??= added("drag-label");
    this.#label.textContent = text;
    this.#label.style.translate = `${x + 14}px ${y + 14}px`;
  }

  clear(): void {
    this.#line?.remove();
    this.#label?.remove();
    this.#line = this.#label = null;
  }
}

function added(className: string): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.ariaHidden = "true";
  element.dir = "auto";
  document.body.append(element);
  return element;
}

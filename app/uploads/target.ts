/** Where files that are dropped or pasted go: a design, or a project, of which it is still to be asked which design. */
export type Target = { kind: "design" | "project"; id: string; name: string };

/** Marks an element as the place of a target: what is dropped on it goes there. */
export function targetProps({ kind, id, name }: Target) {
  return { "data-drop": kind, "data-drop-id": id, "data-drop-name": name };
}

/** The target that an element belongs to, and the element that marks it; else the page's own, which no element of the page marks. */
export function targetAt(element: EventTarget | null): { target: Target; card: Element | null } | null {
  const card = element instanceof Element ? element.closest("[data-drop]:not([data-drop-page])") : null;
  const marked = card ?? document.querySelector("[data-drop-page]");
  const target = marked && read(marked);
  return target ? { target, card } : null;
}

function read(element: Element): Target | null {
  const kind = element.getAttribute("data-drop");
  const id = element.getAttribute("data-drop-id");
  const name = element.getAttribute("data-drop-name");
  return (kind === "design" || kind === "project") && id !== null && name !== null ? { kind, id, name } : null;
}

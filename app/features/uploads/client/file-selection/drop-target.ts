export type Target = { kind: "design" | "project" | "new"; id: string; name: string };

export const NEW_PROJECT: Target = { kind: "new", id: "", name: "a new project" };

export function targetProps({ kind, id, name }: Target) {
  return { "data-drop": kind, "data-drop-id": id, "data-drop-name": name };
}

/** Marks an item's card. Its id is read from its list row, its name from its heading. */
export const cardTargetProps = (kind: Target["kind"]) => ({ "data-drop": kind });

export function targetAt(element: EventTarget | null): { target: Target; card: Element | null } | null {
  const card = element instanceof Element ? element.closest("[data-drop]:not([data-drop-page])") : null;
  const marked = card ?? document.querySelector("[data-drop-page]");
  const target = marked && read(marked);
  return target ? { target, card } : null;
}

function read(element: Element): Target | null {
  const kind = element.getAttribute("data-drop");
  const id = element.getAttribute("data-drop-id") ?? element.closest("[data-pick]")?.getAttribute("data-pick") ?? null;
  const name = element.getAttribute("data-drop-name") ?? element.querySelector("h2")?.title ?? null;
  return (kind === "design" || kind === "project" || kind === "new") && id !== null && name !== null ? { kind, id, name } : null;
}

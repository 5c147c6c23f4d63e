import { type ReactNode, useEffect, useLayoutEffect } from "react";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export type PreservedFields = {
  restore: () => void;
  finish: () => void;
};

const FIELDS = "input:not([type=hidden], [type=submit], [type=button], [type=reset], [type=image]), textarea, select";

/** Stores the fields; must run before hydration. React discards a document that an extension or proxy changed (error 418). */
export function preserveFields(root: Document): PreservedFields {
  const before = fieldsByKey(root);
  const restored: { element: Field; from: Field }[] = [];
  let focused = root.activeElement;
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.isConnected) focused = target;
  };
  root.addEventListener("focusin", onFocus);

  return {
    restore() {
      root.removeEventListener("focusin", onFocus);
      if (![...before.values()].some((field) => !field.isConnected)) return;
      const after = fieldsByKey(root);
      for (const [key, from] of before) {
        const element = after.get(key);
        if (!element || from.isConnected) continue;
        if (isEdited(from) && copyState(from, element)) restored.push({ element, from });
        if (from === focused) focusAs(from, element);
      }
    },
    finish() {
      before.clear();
      focused = null;
      void dispatchChanges(restored.splice(0));
    },
  };
}

export function RestoreFields({ fields, children }: { fields: PreservedFields; children: ReactNode }) {
  useLayoutEffect(() => fields.restore(), [fields]);
  // Runs after the children's effects, which add listeners.
  useEffect(() => fields.finish(), [fields]);
  return children;
}

/** Returns fields by keys that are equal in every render, unlike React's ids. `form.id` may be a field with that name. */
function fieldsByKey(root: Document): Map<string, Field> {
  const counts = new Map<string, number>();
  const fields = new Map<string, Field>();
  for (const field of root.querySelectorAll<Field>(FIELDS)) {
    const value = isCheckable(field) ? field.getAttribute("value") : null;
    const base = JSON.stringify([field.tagName, field.type, field.name, field.form?.getAttribute("id"), value, field.ariaLabel]);
    const count = counts.get(base) ?? 0;
    counts.set(base, count + 1);
    fields.set(base + String(count), field);
  }
  return fields;
}

const isCheckable = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");

const isFile = (field: Field): field is HTMLInputElement => field instanceof HTMLInputElement && field.type === "file";

function isEdited(field: Field): boolean {
  if (field instanceof HTMLSelectElement) return [...field.options].some(({ selected, defaultSelected }) => selected !== defaultSelected);
  if (isCheckable(field)) return field.checked !== field.defaultChecked;
  if (isFile(field)) return field.value !== "";
  return field.value !== field.defaultValue;
}

function copyState(from: Field, to: Field): boolean {
  if (from instanceof HTMLSelectElement && to instanceof HTMLSelectElement) {
    const selectedValues = [...from.selectedOptions].map(({ value }) => value);
    for (const option of to.options) option.selected = selectedValues.includes(option.value);
    return true;
  }
  if (isCheckable(from) && isCheckable(to)) {
    if (from.checked === to.checked) return false;
    setNatively(to, "checked", from.checked);
    return true;
  }
  if (isFile(from) && isFile(to)) {
    to.files = from.files;
    return true;
  }
  if (from.value === to.value) return false;
  setNatively(to, "value", from.value);
  return true;
}

/** Uses the prototype's setter: React overrides the element's own to detect its own changes. */
function setNatively(element: Field, property: "value" | "checked", value: string | boolean): void {
  const prototype: unknown = Object.getPrototypeOf(element);
  Object.getOwnPropertyDescriptor(prototype, property)?.set?.call(element, value);
}

/** Dispatches each change in its own task, because a component may compute its next state from its last render. */
async function dispatchChanges(changes: { element: Field; from: Field }[]): Promise<void> {
  for (const { element, from } of changes) {
    dispatchChange(element, from);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function dispatchChange(element: Field, from: Field): void {
  if (isCheckable(element)) {
    // React detects changes of checkboxes by clicks, which toggle them.
    setNatively(element, "checked", isCheckable(from) && !from.checked);
    element.click();
    return;
  }
  // A render in between may have reset the property.
  copyState(from, element);
  for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true }));
}

function focusAs(from: Field, to: Field): void {
  to.focus({ preventScroll: true });
  if (from instanceof HTMLSelectElement || to instanceof HTMLSelectElement) return;
  const { selectionStart, selectionEnd, selectionDirection } = from;
  // Null for types without a selection, such as email.
  if (selectionStart !== null) to.setSelectionRange(selectionStart, selectionEnd, selectionDirection ?? undefined);
}

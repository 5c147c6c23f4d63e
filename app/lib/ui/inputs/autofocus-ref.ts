/** Sets `autofocus` as a ref, because dialogs and popovers focus the element that has it, and React does not render it. */
export const autofocusRef = (element: HTMLElement | null): void => element?.setAttribute("autofocus", "");

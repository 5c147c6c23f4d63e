import { useEffect } from "react";

/** Text fields except dates and times, which accept no text: the browser would open a link that is dropped on them. */
const TEXT_FIELD = ":read-write:not([type=date], [type=time], [type=datetime-local], [type=month], [type=week])";

export const isTextField = (target: EventTarget | null): boolean => target instanceof Element && target.closest(TEXT_FIELD) !== null;

export function usePreventDrops(): void {
  useEffect(() => {
    const controller = new AbortController();
    for (const type of ["dragenter", "dragover", "drop"] as const)
      addEventListener(
        type,
        (event) => {
          const { dataTransfer, target } = event;
          if (event.defaultPrevented || (isTextField(target) && !dataTransfer?.types.includes("Files"))) return;
          event.preventDefault();
          if (dataTransfer) dataTransfer.dropEffect = "none";
        },
        { signal: controller.signal },
      );
    return () => controller.abort();
  }, []);
}

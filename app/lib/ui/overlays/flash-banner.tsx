import { href, useLocation } from "react-router";

export type Flash = { id: string; text: string; undo?: { step: string; redo: boolean } | undefined };

export function FlashBanner({ flash }: { flash: Flash }) {
  const { pathname, search } = useLocation();
  return (
    <div
      data-print="hide"
      className="mx-auto mt-3 -mb-1 flex w-fit max-w-[calc(100%-2rem)] flex-wrap items-center justify-center gap-x-3 rounded-md border bg-raised px-4 py-2.5 text-center shadow-lift"
    >
      <p role="status">{flash.text}</p>
      {flash.undo ? (
        <form method="post" action={href("/undo")}>
          <input type="hidden" name="step" value={flash.undo.step} />
          <input type="hidden" name="redo" value={flash.undo.redo ? "yes" : ""} />
          <input type="hidden" name="back" value={pathname + search} />
          <button type="submit" className="font-medium text-accent-text underline underline-offset-4 pointer-coarse:min-h-11">
            {flash.undo.redo ? "Redo" : "Undo"}
          </button>
        </form>
      ) : null}
    </div>
  );
}

import { useEffect } from "react";
import { href, useLocation, useSubmit } from "react-router";
import { offerStored, undoByForm } from "~/lib/forms/undo";
import { toast } from "./toasts";

type FlashMessageProps = {
  flash: { id: string; text: string; undo?: { step: string; redo: boolean } | undefined } | null;
  toasts: boolean;
};

let lastMessage: string | null = null;

export function FlashMessage({ flash, toasts }: FlashMessageProps) {
  const { pathname, search } = useLocation();
  const submit = useSubmit();
  useEffect(() => {
    if (!toasts || !flash || flash.id === lastMessage) return;
    lastMessage = flash.id;
    if (flash.undo) offerStored(flash.undo.step, flash.text, flash.undo.redo ? "redo" : "undo");
    else void toast(flash.text);
  }, [flash, toasts]);
  useEffect(() => {
    if (!toasts) return;
    undoByForm((step, direction) => {
      const fields = { step, redo: direction === "redo" ? "yes" : "", back: location.pathname + location.search };
      void submit(fields, { method: "post", action: href("/undo"), navigate: false });
    });
  }, [submit, toasts]);

  if (!flash) return null;
  const banner = (
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
  return toasts ? <noscript>{banner}</noscript> : banner;
}

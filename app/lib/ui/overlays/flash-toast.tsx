import { useEffect } from "react";
import { href, useSubmit } from "react-router";
import { offerStored, undoByForm } from "~/lib/forms/undo";
import { type Flash, FlashBanner } from "./flash-banner";
import { toast } from "./toasts";

let lastMessage: string | null = null;

/** Shows the message as a toast, or as a banner without JavaScript. */
export function FlashToast({ flash }: { flash: Flash | null }) {
  const submit = useSubmit();
  useEffect(() => {
    if (!flash || flash.id === lastMessage) return;
    lastMessage = flash.id;
    if (flash.undo) offerStored(flash.undo.step, flash.text, flash.undo.redo ? "redo" : "undo");
    else void toast(flash.text);
  }, [flash]);
  useEffect(() => {
    undoByForm((step, direction) => {
      const fields = { step, redo: direction === "redo" ? "yes" : "", back: location.pathname + location.search };
      void submit(fields, { method: "post", action: href("/undo"), navigate: false });
    });
  }, [submit]);

  return flash ? (
    <noscript>
      <FlashBanner flash={flash} />
    </noscript>
  ) : null;
}

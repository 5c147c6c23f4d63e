import { useEffect } from "react";
import { toast } from "./toasts";

type FlashMessageProps = {
  flash: { id: string; text: string; link?: { to: string; name: string } | undefined } | null;
  /** Whether there are toasts: where somebody is signed in, once scripts run. */
  toasts: boolean;
};

let lastTold: string | null = null;

/** What the action before this page has to say (specification 2): a toast, or a banner where there are none. */
export function FlashMessage({ flash, toasts }: FlashMessageProps) {
  useEffect(() => {
    if (!toasts || !flash || flash.id === lastTold) return;
    lastTold = flash.id;
    void toast(flash.text);
  }, [flash, toasts]);

  if (!flash) return null;
  const banner = (
    <p
      role="status"
      data-print="hide"
      className="mx-auto mt-3 -mb-1 w-fit max-w-[calc(100%-2rem)] rounded-md border bg-raised px-4 py-2.5 text-center shadow-lift"
    >
      {flash.text}
      {flash.link ? (
        <>
          {" · "}
          <a href={flash.link.to} className="underline">
            {flash.link.name}
          </a>
        </>
      ) : null}
    </p>
  );
  return toasts ? <noscript>{banner}</noscript> : banner;
}

import { X } from "lucide";
import { useState } from "react";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { StatusPill } from "./status-pill";

const DETAILS_ID = "http-updates";
const DISMISSED = "http-updates-dismissed";

export default function HttpUpdates({ title }: { title: string }) {
  const [isDismissed, setDismissed] = useState(() => storage()?.getItem(DISMISSED) != null);
  if (isDismissed) return null;
  const dismiss = () => {
    storage()?.setItem(DISMISSED, "1");
    setDismissed(true);
  };
  return (
    <StatusPill>
      <button type="button" popoverTarget={DETAILS_ID} className={buttonClass({ variant: "ghost", size: "sm" }, "rounded-full text-ink")}>
        {title}
      </button>
      <button
        type="button"
        aria-label="Dismiss notice"
        onClick={dismiss}
        className={buttonClass({ variant: "ghost", size: "icon" }, "rounded-full")}
      >
        <Icon of={X} />
      </button>
      <div id={DETAILS_ID} popover="auto" role="group" aria-label="Live updates" className="menu w-72 p-3!" data-side="bottom">
        <p className="text-sm text-soft">
          A proxy in front of the server does not forward websockets, so this page uses plain HTTP. Everything works. The operator can
          change the proxy&rsquo;s settings.
        </p>
      </div>
    </StatusPill>
  );
}

/** Returns null where the browser blocks storage. The notice is then shown again on the next page. */
const storage = (): Storage | null => {
  try {
    // oxlint-disable-next-line no-restricted-globals -- errors are caught
    return sessionStorage;
  } catch {
    return null;
  }
};

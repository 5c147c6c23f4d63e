import { useEffect } from "react";
import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";

const MANY = 100;
const textFor = (count: number): string => (count < MANY ? String(count) : `${MANY - 1}+`);

export function UnreadTitle({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  useEffect(() => {
    if (count === 0) return undefined;
    const mark = `(${textFor(count)}) `;
    const add = () => {
      if (!document.title.startsWith(mark)) document.title = mark + document.title;
    };
    add();
    const observer = new MutationObserver(add);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => {
      observer.disconnect();
      if (document.title.startsWith(mark)) document.title = document.title.slice(mark.length);
    };
  }, [count]);
  return null;
}

export function UnreadBadge({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  if (count === 0) return null;
  return (
    <span className="tabular ms-auto rounded-full bg-accent px-1.5 text-xs font-medium text-accent-ink">
      {textFor(count)}
      <span className="sr-only"> unread</span>
    </span>
  );
}

export function UnreadDot({ unread }: { unread: Preload<number> }) {
  const count = useLive(unread);
  if (count === 0) return null;
  return (
    <span className="tabular absolute -top-1.5 -end-1.5 min-w-4.5 rounded-full border-2 border-panel bg-accent px-0.5 text-center text-[0.625rem] leading-3.5 font-semibold text-accent-ink">
      {textFor(count)}
      <span className="sr-only"> unread notifications</span>
    </span>
  );
}

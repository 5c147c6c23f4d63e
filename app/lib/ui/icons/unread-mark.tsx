import { MessageSquare } from "lucide";
import { Icon } from "./icon";

export function UnreadMark({ hasText = false }: { hasText?: boolean }) {
  return (
    <span className="inline-flex items-center gap-1 text-accent-text" title={hasText ? undefined : "New comments"}>
      <Icon of={MessageSquare} className="size-3.5" />
      <span className={hasText ? undefined : "sr-only"}>New comments</span>
    </span>
  );
}

import { isolate } from "~/lib/ui/isolate";
import { GripVertical } from "lucide-react";
import { useEffect, useState } from "react";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";

/** Without scripts, the item's menu offers 'Move up' and 'Move down'. */
export function DragHandle({ item }: { item: { name: string } }) {
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);
  if (!scripted) return null;
  return (
    <button
      type="button"
      aria-label={`Reorder ${isolate(item.name)}`}
      title="Drag, or press Space and use the arrow keys"
      className={buttonClass({ look: "ghost", size: "icon-sm" }, "drag-handle")}
    >
      <Icon of={GripVertical} />
    </button>
  );
}

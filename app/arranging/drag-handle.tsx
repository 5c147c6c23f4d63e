import { GripVertical } from "lucide-react";
import { useEffect, useState } from "react";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";

/** By what something is carried elsewhere in the order made by hand: with scripts; without them its menu has 'Move up' and 'Move down'. */
export function DragHandle({ item }: { item: { name: string } }) {
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);
  if (!scripted) return null;
  return (
    <button
      type="button"
      aria-label={`Reorder ${item.name}`}
      title="Drag, or press Space and use the arrows"
      className={buttonClass({ look: "ghost", size: "icon-sm" }, "drag-handle")}
    >
      <Icon of={GripVertical} />
    </button>
  );
}

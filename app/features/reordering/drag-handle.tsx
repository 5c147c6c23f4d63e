import { isolate } from "~/lib/ui/isolate";
import { GripVertical } from "lucide";
import { useMay } from "~/lib/rights/rights";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { useScripted } from "~/lib/ui/use-scripted";

/** Renders nothing without scripts, where the item's menu offers 'Move up' and 'Move down'. */
export function DragHandle({ item }: { item: { name: string } }) {
  const isScripted = useScripted();
  const mayReorder = useMay()("edit");
  if (!isScripted || !mayReorder) return null;
  return (
    <button
      type="button"
      aria-label={`Reorder ${isolate(item.name)}`}
      title="Drag, or press Space and use the arrow keys"
      className={buttonClass({ variant: "ghost", size: "icon-sm" }, "drag-handle")}
    >
      <Icon of={GripVertical} />
    </button>
  );
}

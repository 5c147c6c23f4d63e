import { RotateCcw, RotateCw } from "lucide";
import { INTENT_FIELD, intentWith } from "~/lib/forms/intents";
import { useMayRun } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";

const DIRECTIONS = [
  { direction: "left", label: "Rotate left", key: "Shift+r", icon: RotateCcw },
  { direction: "right", label: "Rotate right", key: "r", icon: RotateCw },
] as const;

/** Renders buttons that narrow screens hide: there, the viewer's menu has these actions. Keys click the hidden buttons. */
export function RotateButtons({ image, form }: { image: { _id: string }; form: string }) {
  if (!useMayRun()("rotateImage")) return null;
  return (
    <div className="flex max-sm:hidden">
      {DIRECTIONS.map(({ direction, label, key, icon }) => (
        <Button
          key={direction}
          type="submit"
          form={form}
          name={INTENT_FIELD}
          value={intentWith("rotateImage", { id: image._id, direction })}
          variant="ghost"
          size="icon-sm"
          aria-label={label}
          title={`${label} (${key})`}
          data-command=""
          data-rotate={direction}
        >
          <Icon of={icon} />
        </Button>
      ))}
    </div>
  );
}

import { Star } from "lucide";
import { useMayRun } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { INTENT_FIELD, type IntentName, intentWith } from "../intents";
import { ALL_MENUS } from "../dialogs/menu-forms";

export function FavouriteButton({ item: { _id, favourite }, intent }: { item: { _id: string; favourite: boolean }; intent: IntentName }) {
  if (!useMayRun()(intent)) return null;
  return (
    <Button
      type="submit"
      form={ALL_MENUS}
      name={INTENT_FIELD}
      value={intentWith(intent, { id: _id, favourite: favourite ? "" : "yes" })}
      variant="ghost"
      size="icon-sm"
      aria-label="Favourite"
      aria-pressed={favourite}
      data-tooltip={favourite ? "Remove from favourites" : "Add to favourites"}
      className={favourite ? "text-accent-text" : undefined}
    >
      <Icon of={Star} className={favourite ? "fill-current" : undefined} />
    </Button>
  );
}

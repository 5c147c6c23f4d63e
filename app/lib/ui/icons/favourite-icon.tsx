import { Star } from "lucide";
import { Icon } from "./icon";

export function FavouriteIcon() {
  return (
    <span className="inline-flex items-center gap-1 text-accent-text">
      <Icon of={Star} className="size-3.5 fill-current" />
      Favourite
    </span>
  );
}

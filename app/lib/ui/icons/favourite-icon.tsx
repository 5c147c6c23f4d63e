import { Star } from "lucide-react";

export function FavouriteIcon() {
  return (
    <span className="inline-flex items-center gap-1 text-accent-text">
      <Star aria-hidden="true" strokeWidth={1.75} className="size-3.5 fill-current" />
      Favourite
    </span>
  );
}

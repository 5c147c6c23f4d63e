import { ListChecks } from "lucide";
import { useLocation } from "react-router";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { withSelect } from "./address";
import type { Selection } from "./use-selection";

export function SelectLink({ selection }: { selection: Selection }) {
  const { search } = useLocation();
  if (selection.on) return null;
  return (
    <ButtonLink
      to={{ search: withSelect(search, true) }}
      prefetch="none"
      data-command=""
      className="max-sm:w-9 max-sm:px-0 pointer-coarse:max-sm:w-11"
      onClick={(event) => {
        event.preventDefault();
        selection.begin();
        const [first] = selection.ids;
        if (first !== undefined) selection.focus(first);
      }}
    >
      <Icon of={ListChecks} />
      <span className="max-sm:sr-only">Select</span>
    </ButtonLink>
  );
}

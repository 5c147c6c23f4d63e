import { isolate } from "~/lib/ui/isolate";
import { Check } from "lucide";
import type { ReactNode } from "react";
import { clsx } from "clsx";
import { useIsVisitor } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { useScripted } from "~/lib/ui/use-scripted";
import { SELECTED_FIELD, SELECTION_FORM } from "./address";
import { selectFirst, type Selection } from "./use-selection";

type PickProps = { item: { _id: string; name: string }; selection: Selection };

export const selectableProps = ({ _id }: { _id: string }) => ({ "data-pick": _id });

export function Selectable({ item, selection, className, children }: PickProps & { className?: string; children: ReactNode }) {
  return (
    <label className={clsx("pick", className)}>
      <SelectCheckbox item={item} selection={selection} />
      {children}
    </label>
  );
}

export function SelectCheckbox({ item: { _id, name }, selection }: PickProps) {
  return (
    <input
      type="checkbox"
      form={SELECTION_FORM}
      name={SELECTED_FIELD}
      value={_id}
      aria-label={`Select ${isolate(name)}`}
      className="pick-box"
      checked={selection.has(_id)}
      onChange={(event) => selection.toggle(_id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
    />
  );
}

export function SelectMark({ item: { _id, name }, selection }: PickProps) {
  const isScripted = useScripted();
  const isVisitor = useIsVisitor();
  if (!isScripted || isVisitor) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden
      title={`Select ${isolate(name)}`}
      className="pick-mark"
      onClick={() => selectFirst(selection, _id)}
    >
      <Icon of={Check} />
    </button>
  );
}

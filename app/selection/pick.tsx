import { Check } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { clsx } from "clsx";
import { Icon } from "~/ui/icon";
import { CHOSEN_FIELD, SELECTION_FORM } from "./address";
import type { Selection } from "./use-selection";

type PickProps = { item: { _id: string; name: string }; selection: Selection };

/** Marks the element that is one of the things of a list. */
export const pickProps = ({ _id }: { _id: string }) => ({ "data-pick": _id });

/** A thing while one chooses: all of it is the label of its check box. */
export function Pick({ item, selection, className, children }: PickProps & { className?: string; children: ReactNode }) {
  return (
    <label className={clsx("pick", className)}>
      <PickBox item={item} selection={selection} />
      {children}
    </label>
  );
}

/** The check box by itself, where the thing's label stands elsewhere. */
export function PickBox({ item: { _id, name }, selection }: PickProps) {
  return (
    <input
      type="checkbox"
      form={SELECTION_FORM}
      name={CHOSEN_FIELD}
      value={_id}
      aria-label={`Select ${name}`}
      className="pick-box"
      checked={selection.has(_id)}
      onChange={(event) => selection.toggle(_id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
    />
  );
}

/** With scripts, over a thing that is pointed at: one click and choosing has begun. By keyboard it is Space. */
export function PickMark({ item: { _id, name }, selection }: PickProps) {
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);
  if (!scripted) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-hidden
      title={`Select ${name}`}
      className="pick-mark"
      onClick={() => {
        selection.focus(_id);
        selection.toggle(_id, false);
      }}
    >
      <Icon of={Check} />
    </button>
  );
}

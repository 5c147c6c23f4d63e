import { useLocation } from "react-router";
import { withoutOpenDialog } from "./open-dialog-param";

export const OPENING = "item-menus";
export const OPENED = "open-menu";

export function ItemMenuForm() {
  const search = new URLSearchParams(withoutOpenDialog(useLocation().search));
  return (
    <form id={OPENING} method="get" action={`#${OPENED}`} className="hidden">
      {[...search].map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}

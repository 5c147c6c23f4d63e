import { ArrowDown, ArrowUp } from "lucide-react";
import { Icon } from "~/ui/icon";
import { MenuAction } from "./menu-action";

/** One place on, and back, in the order made by hand. */
export function OrderActions({ intent, id }: { intent: string; id: string }) {
  return (
    <>
      <MenuAction intent={intent} values={{ id, to: "up", beside: "" }} icon={<Icon of={ArrowUp} />}>
        Move up
      </MenuAction>
      <MenuAction intent={intent} values={{ id, to: "down", beside: "" }} icon={<Icon of={ArrowDown} />}>
        Move down
      </MenuAction>
    </>
  );
}

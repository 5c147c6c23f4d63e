import { ArrowDown, ArrowUp } from "lucide";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuAction } from "../dialogs/menu-action";
import type { IntentName } from "../intents";

export function OrderActions({ intent, id }: { intent: IntentName; id: string }) {
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

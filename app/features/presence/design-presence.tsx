import { useNavigate } from "react-router";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { isolate } from "~/lib/ui/isolate";
import { announce } from "~/lib/ui/overlays/announcer";
import { follow } from "./choices";
import { peopleIn } from "./people";
import { PeopleList } from "./people-list";
import { useTabs } from "./use-tabs";

export function DesignPresence({ designId }: { designId: string }) {
  const tabs = useTabs(designId);
  const navigate = useNavigate();
  const { image: addressOf } = useItemAddresses();
  return (
    <PeopleList
      id="presence-design"
      label="People viewing this design"
      people={peopleIn(tabs ?? [])}
      following={null}
      onFollow={({ name, tab: { _id, imageId } }) => {
        if (imageId === undefined) return;
        follow(_id);
        announce(`Following ${isolate(name)}`);
        void navigate(addressOf(designId, imageId));
      }}
    />
  );
}

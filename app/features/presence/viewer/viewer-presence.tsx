import { Check, MousePointer2 } from "lucide";
import { useQueries } from "~/lib/data/use-queries";
import { createPortal } from "react-dom";
import type { DesignImage } from "~/features/images/gallery/image-intents";
import type { Zoom } from "~/features/images/viewer/use-zoom";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { MenuButton, MenuSeparator } from "~/lib/ui/overlays/menu";
import { isolate } from "~/lib/ui/isolate";
import { api } from "#convex/_generated/api";
import type { FunctionReturnType } from "convex/server";
import { showPointers, useChoices } from "../choices";
import { colourOf, peopleIn } from "../people";
import { PeopleList } from "../people-list";
import { useTabs } from "../use-tabs";
import { type ShownTab, TabPointer } from "./tab-pointer";
import { useFollow } from "./use-follow";
import { useSendPointer } from "./use-send-pointer";

type ViewerPresenceProps = {
  image: DesignImage;
  zoom: Zoom;
  layer: HTMLElement | null;
  open: (imageId: string) => void;
};

export function ViewerPresence({ image, zoom, layer, open }: ViewerPresenceProps) {
  const tabs = useTabs(image.designId) ?? NOBODY;
  const { arePointersShown, following } = useChoices();
  const pointers = usePointers(image._id, arePointersShown || following !== null);
  const people = peopleIn(tabs, image._id);
  const { start, stop, name } = useFollow({ tabs, pointers, image, zoom, layer, open });
  useSendPointer({ tabs, image, box: zoom.box, layer });
  const shown = tabs.flatMap<ShownTab>((tab) => {
    const place = pointers.find(({ presenceId }) => presenceId === tab._id);
    return place && !tab.isMe && !tab.isAway ? [{ ...place, name: tab.name, colour: colourOf(tab.userId) }] : [];
  });

  return (
    <>
      <PeopleList
        id="presence-image"
        label="People viewing this image"
        people={people}
        following={following}
        onFollow={({ tab }) => (tab._id === following ? stop() : start(tab))}
      >
        <MenuSeparator />
        <MenuButton type="button" aria-pressed={arePointersShown} onClick={() => showPointers(!arePointersShown)}>
          <Icon of={arePointersShown ? Check : MousePointer2} />
          Show pointers
        </MenuButton>
      </PeopleList>
      {layer && zoom.box
        ? createPortal(
            <>
              {arePointersShown
                ? shown.map((tab) => (
                    <TabPointer key={tab.presenceId} tab={tab} image={image} zoom={zoom} isFollowed={tab.presenceId === following} />
                  ))
                : null}
              {name === null ? null : (
                <div className="presence-following">
                  <span className="min-w-0 truncate">Following {isolate(name)}</span>
                  <Button size="sm" variant="ghost" onClick={stop}>
                    Stop following
                  </Button>
                </div>
              )}
            </>,
            layer,
          )
        : null}
    </>
  );
}

const NOBODY: never[] = [];

type Pointers = FunctionReturnType<typeof api.presence.listPointers>;

function usePointers(imageId: string, isOn: boolean): Pointers {
  const { pointers } = useQueries(isOn ? { pointers: { query: api.presence.listPointers, args: { imageId } } } : {}, { keeps: false });
  return Array.isArray(pointers) ? pointers : NOBODY;
}

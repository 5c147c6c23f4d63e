import { MessageSquare } from "lucide";
import { Icon } from "~/lib/ui/icons/icon";
import type { Rotation } from "~/features/images/display/image-address";
import { type Anchor, type Box, boxOnStage, positionText } from "../anchor";
import type { Pin } from "../optimistic";

type PinsProps = {
  pins: readonly Pin[];
  box: Box;
  rotation: Rotation;
  selected: string | null;
  fromVersion: (pin: Pin) => string | null;
  onSelect: (threadId: string) => void;
};

/** Renders the pins of threads. Only one is in the tab order, because the viewer's keys move between threads. */
export function Pins({ pins, box, rotation, selected, fromVersion, onSelect }: PinsProps) {
  const tabbable = pins.some(({ threadId }) => threadId === selected) ? selected : pins[0]?.threadId;
  return (
    <ul aria-label="Comments on the image" className="comment-pins">
      {pins.map((pin) => {
        const { threadId, anchor, isResolved, isUnread } = pin;
        const version = fromVersion(pin);
        const states = [isResolved && "resolved", isUnread && "unread", version?.toLowerCase()].filter(Boolean);
        return (
          <li key={threadId} data-pin={threadId}>
            {threadId === selected ? <Region anchor={anchor} box={box} rotation={rotation} /> : null}
            <button
              type="button"
              style={placeOf(anchor, box, rotation)}
              className="comment-pin"
              data-resolved={isResolved || undefined}
              data-unread={isUnread || undefined}
              data-earlier={version !== null || undefined}
              aria-label={["Comment", positionText(anchor, rotation), ...states].join(", ")}
              aria-pressed={threadId === selected}
              tabIndex={threadId === tabbable ? 0 : -1}
              onClick={() => onSelect(threadId)}
            >
              <Icon of={MessageSquare} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

type PlacedProps = { anchor: Anchor; box: Box; rotation: Rotation };

export function DraftPin({ anchor, box, rotation }: PlacedProps) {
  return (
    <div className="comment-pins">
      <Region anchor={anchor} box={box} rotation={rotation} />
      <span className="comment-pin" data-draft="" style={placeOf(anchor, box, rotation)} />
    </div>
  );
}

function Region({ anchor, box, rotation }: PlacedProps) {
  const { left, top, width, height } = boxOnStage(anchor, box, rotation);
  return width > 0 ? <span className="comment-area" style={{ left, top, width, height }} /> : null;
}

function placeOf(anchor: Anchor, box: Box, rotation: Rotation) {
  const { left, top } = boxOnStage(anchor, box, rotation);
  return { left, top };
}

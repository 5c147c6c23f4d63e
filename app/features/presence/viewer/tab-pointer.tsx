import type { FunctionReturnType } from "convex/server";
import { boxOnStage } from "~/features/comments/anchor";
import type { Rotation } from "~/features/images/display/image-address";
import type { Zoom } from "~/features/images/viewer/use-zoom";
import type { api } from "#convex/_generated/api";
import { isPartial } from "./viewport";

export type ShownTab = FunctionReturnType<typeof api.presence.listPointers>[number] & { name: string; colour: number };

type TabPointerProps = {
  tab: ShownTab;
  image: { rotation?: Rotation | undefined };
  zoom: Pick<Zoom, "box">;
  isFollowed: boolean;
};

export function TabPointer({ tab, image: { rotation = 0 }, zoom: { box }, isFollowed }: TabPointerProps) {
  const { pointer, viewport, name, colour } = tab;
  if (!box) return null;
  const at = pointer && boxOnStage(pointer, box, rotation);
  const seen = boxOnStage(viewport, box, rotation);
  return (
    <div aria-hidden="true" data-person={colour}>
      {isPartial(viewport) && !isFollowed ? (
        <span className="presence-viewport" style={{ left: seen.left, top: seen.top, width: seen.width, height: seen.height }}>
          {at ? null : <Name name={name} />}
        </span>
      ) : null}
      {at ? (
        <span className="presence-pointer" style={{ translate: `${at.left}px ${at.top}px` }}>
          <svg width="16" height="16" viewBox="0 0 16 16">
            <path d="M1 1l5 14 2.5-6.5L15 6z" />
          </svg>
          <Name name={name} />
        </span>
      ) : null}
    </div>
  );
}

function Name({ name }: { name: string }) {
  return (
    <span dir="auto" className="presence-name">
      {name}
    </span>
  );
}

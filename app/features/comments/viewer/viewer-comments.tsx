import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { isElsewhere, pressedKey } from "~/lib/ui/inputs/keys";
import { usePageKeys } from "~/lib/ui/inputs/use-page-keys";
import { announce } from "~/lib/ui/overlays/announcer";
import { toast } from "~/lib/ui/overlays/toasts";
import { useMay } from "~/lib/rights/rights";
import type { Rotation } from "~/features/images/display/image-address";
import { type Anchor, type Box, boxOnStage, panToShow, positionText } from "../anchor";
import { problemOf } from "../composer/composer";
import { useDraft } from "../composer/use-draft";
import type { Thread } from "../optimistic";
import { CommentsPanel, NewComment } from "./comments-panel";
import { DraftPin, Pins } from "./pins";
import { Placing } from "./placing";
import { ThreadCard, threadElementId } from "./thread-card";
import { useMarkRead } from "../use-mark-read";
import { useMe, useWriting } from "./use-comment-actions";
import { usePins, useThread, useThreads } from "./use-threads";
import type { CommentsState } from "./use-viewer-comments";

export type StageZoom = { box: Box | null; isLarger: boolean; pan: (x: number, y: number) => void };

type CommentedImage = {
  _id: string;
  rotation?: Rotation | undefined;
  versionId?: string | undefined;
  lastCommentAt?: number | undefined;
  isUnread?: boolean | undefined;
};

export type ViewerCommentsProps = {
  image: CommentedImage;
  versionNumber: number | undefined;
  projectId: string;
  zoom: StageZoom;
  layer: HTMLElement | null;
  state: CommentsState;
  change: (next: Partial<CommentsState>) => void;
};

export function ViewerComments(props: ViewerCommentsProps) {
  const me = useMe();
  return me && <CommentsOf key={props.image._id} {...props} me={me} />;
}

type Selection = { id: string; focus: "thread" | "reply" | "none" };
type Me = { userId: string; name: string };

function CommentsOf({ image, versionNumber, projectId, zoom, layer, state, change, me }: ViewerCommentsProps & { me: Me }) {
  const { isOpen, isPlacing, filter } = state;
  const mayComment = useMay()("comment");
  const rotation = image.rotation ?? 0;
  const draft = useDraft(me.userId, image._id);
  const { send } = useWriting();
  const [isComposing, setComposing] = useState(draft.draft.text !== "" || Boolean(draft.draft.images?.length));
  const [selection, setSelection] = useState<Selection | null>(state.thread === null ? null : { id: state.thread, focus: "thread" });
  const pins = usePins(image._id, isOpen || image.lastCommentAt !== undefined);
  const threads = useThreads(image._id, filter, isOpen);
  const isListed = threads.rows.some(({ _id }) => _id === selection?.id);
  const other = useThread(isOpen && selection && !isListed && !threads.isLoading ? selection.id : null);
  const rows = other ? [other, ...threads.rows] : threads.rows;
  const unread = useUnread([
    ...pins.map(({ threadId: id, isUnread }) => ({ id, isUnread })),
    ...rows.map(({ _id: id, isUnread }) => ({ id, isUnread })),
  ]);
  useMarkRead(image, isOpen);
  const { box } = zoom;
  const { anchor } = draft.draft;

  const show = (id: string, at?: Anchor) => {
    const place = at ?? pins.find(({ threadId }) => threadId === id)?.anchor;
    if (!place || !box || !layer || !zoom.isLarger) return;
    const pan = panToShow(boxOnStage(place, box, rotation), { width: layer.clientWidth, height: layer.clientHeight });
    if (pan.x !== 0 || pan.y !== 0) zoom.pan(pan.x, pan.y);
  };
  const lastShow = useRef(show);
  useEffect(() => {
    lastShow.current = show;
  });
  const startReply = useCallback((id: string) => setSelection({ id, focus: "reply" }), []);
  const showThread = useCallback(
    ({ _id, anchor: at }: Thread) => {
      setSelection({ id: _id, focus: "none" });
      lastShow.current(_id, at);
      focusPin(layer, _id);
    },
    [layer],
  );
  const showSelected = useEffectEvent(() => selection && show(selection.id));
  const isSelectedShown = selection !== null && rows.some(({ _id }) => _id === selection.id);
  useEffect(() => {
    if (selection) showSelected();
  }, [selection]);
  useEffect(() => {
    if (!selection || !isSelectedShown) return;
    const card = document.getElementById(threadElementId(selection.id));
    card?.scrollIntoView({ block: "start" });
    if (selection.focus === "thread") card?.focus({ preventScroll: true });
  }, [selection, isSelectedShown]);

  const select = (id: string | null) => setSelection(id === null ? null : { id, focus: "thread" });
  const waitingSteps = useRef(0);
  const step = (by: 1 | -1) => {
    const ids = rows.map(({ _id }) => _id as string);
    const at = ids.indexOf(selection?.id ?? "");
    const to = at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by;
    const id = ids[to];
    if (id !== undefined) select(id);
    else announce(ids.length === 0 ? "No threads" : by > 0 ? "Last thread" : "First thread");
  };
  const takeWaitingStep = useEffectEvent(() => {
    const by = waitingSteps.current;
    waitingSteps.current = 0;
    if (by !== 0) step(by > 0 ? 1 : -1);
  });
  const isLoaded = isOpen && !threads.isLoading;
  useEffect(() => {
    if (isLoaded) takeWaitingStep();
  }, [isLoaded]);
  usePageKeys((event) => {
    const key = pressedKey(event);
    if (event.shiftKey || (key !== "j" && key !== "k")) return false;
    const by = key === "j" ? 1 : -1;
    if (isLoaded) step(by);
    else {
      waitingSteps.current = by;
      change({ isOpen: true });
    }
    return true;
  }, isElsewhere);

  const fromVersion = (of: { versionId?: string | undefined; versionNumber?: number | undefined }): string | null => {
    const isCurrent = versionNumber === undefined ? of.versionId === image.versionId : of.versionNumber === versionNumber;
    return isCurrent || of.versionNumber === undefined ? null : `From version ${of.versionNumber}`;
  };
  const isShown = ({ threadId, isResolved }: { threadId: string; isResolved: boolean }) =>
    !isResolved || threadId === selection?.id || (isOpen && filter !== "open" && rows.some(({ _id }) => _id === threadId));
  function place(at: Anchor | undefined) {
    draft.change({ anchor: at });
    setComposing(true);
    change({ isPlacing: false, isOpen: true });
    announce(at ? `Placed at ${positionText(at, rotation)}` : "On the whole image");
  }
  function cancel() {
    setComposing(false);
    if (draft.draft.text.trim() === "" && !draft.draft.images?.length) draft.take();
    focusTitle();
  }
  const card = (thread: Thread) => (
    <li key={thread.first.key}>
      <ThreadCard
        thread={thread}
        me={me}
        projectId={projectId}
        isSelected={thread._id === selection?.id}
        isNew={unread.has(thread._id)}
        note={fromVersion(thread)}
        startsReply={thread._id === selection?.id && selection.focus === "reply"}
        onSelect={startReply}
        onShow={showThread}
      />
    </li>
  );

  return (
    <>
      {layer && box
        ? createPortal(
            <>
              <Pins
                pins={pins.filter(isShown)}
                box={box}
                rotation={rotation}
                selected={selection?.id ?? null}
                fromVersion={fromVersion}
                onSelect={(id) => {
                  change({ isOpen: true });
                  select(id);
                }}
              />
              {anchor && isOpen && isComposing && !isPlacing ? <DraftPin anchor={anchor} box={box} rotation={rotation} /> : null}
              {isPlacing && mayComment ? (
                <Placing
                  box={box}
                  layer={layer}
                  zoom={zoom}
                  rotation={rotation}
                  onPlace={place}
                  onCancel={() => {
                    change({ isPlacing: false });
                    announce("Cancelled");
                  }}
                />
              ) : null}
            </>,
            layer,
          )
        : null}
      {isOpen ? (
        <CommentsPanel
          filter={filter}
          onFilter={(next) => {
            change({ filter: next });
            select(null);
          }}
          onClose={() => change({ isOpen: false })}
          onPlace={() => change({ isPlacing: true })}
          isPlacing={isPlacing}
          isLoading={threads.isLoading}
          isEmpty={rows.length === 0}
          more={threads.more}
          composer={
            isComposing && mayComment && !isPlacing ? (
              <NewComment
                draft={draft}
                itemId={image._id}
                projectId={projectId}
                place={anchor ? `At ${positionText(anchor, rotation)}` : null}
                onPlace={() => change({ isPlacing: true })}
                onCancel={cancel}
                onSend={(text, taken) => {
                  setComposing(false);
                  if (filter !== "mine") change({ filter: "open" });
                  focusTitle();
                  const { _id: itemId, versionId } = image;
                  return send(me, { place: itemId, draft: taken, text, itemId, versionId, versionNumber }).catch((error: unknown) => {
                    setComposing(true);
                    void toast(problemOf(error));
                    throw error;
                  });
                }}
              />
            ) : null
          }
        >
          {rows.map(card)}
        </CommentsPanel>
      ) : null}
    </>
  );
}

const focusTitle = () => document.querySelector<HTMLElement>("[data-comments-title]")?.focus();

function focusPin(layer: HTMLElement | null, threadId: string): void {
  layer?.querySelector<HTMLElement>(`[data-pin="${CSS.escape(threadId)}"] button`)?.focus({ preventScroll: true });
}

/** Returns the threads that were unread when the image opened, because opening the panel marks them as read. */
function useUnread(now: readonly { id: string; isUnread: boolean }[]): ReadonlySet<string> {
  const [unread, setUnread] = useState<ReadonlySet<string>>(new Set());
  const added = now.filter(({ id, isUnread }) => isUnread && !unread.has(id));
  if (added.length > 0) setUnread(new Set([...unread, ...added.map(({ id }) => id)]));
  return unread;
}

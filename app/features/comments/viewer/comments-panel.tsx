import { MapPin, MessageSquarePlus, X } from "lucide";
import type { ReactNode } from "react";
import { useIsVisitor, useMay } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { Composer } from "../composer/composer";
import type { DraftState } from "../composer/use-draft";
import type { Draft } from "../drafts/drafts";
import type { ThreadFilter } from "../optimistic";

const FILTERS: readonly { filter: ThreadFilter; label: string; empty: string }[] = [
  { filter: "open", label: "Open", empty: "No open threads." },
  { filter: "resolved", label: "Resolved", empty: "No resolved threads." },
  { filter: "mine", label: "Mine", empty: "You have not started a thread here." },
  { filter: "mentions", label: "Mentions", empty: "No threads mention you." },
];

const VISITOR_FILTERS = 2;

type CommentsPanelProps = {
  filter: ThreadFilter;
  onFilter: (filter: ThreadFilter) => void;
  onClose: () => void;
  onPlace: () => void;
  composer: ReactNode;
  isPlacing: boolean;
  isLoading: boolean;
  isEmpty: boolean;
  more: (() => void) | undefined;
  children: ReactNode;
};

export function CommentsPanel({
  filter,
  onFilter,
  onClose,
  onPlace,
  composer,
  isPlacing,
  isLoading,
  isEmpty,
  more,
  children,
}: CommentsPanelProps) {
  const mayComment = useMay()("comment");
  const isVisitor = useIsVisitor();
  return (
    <aside aria-label="Comments" className="viewer-comments" data-placing={isPlacing || undefined}>
      <header className="flex items-center gap-1 px-4 py-1.5">
        <h2 tabIndex={-1} className="flex-1 text-lg outline-none" data-comments-title="">
          Comments
        </h2>
        {mayComment ? (
          <Button variant="ghost" size="icon-sm" aria-label="New comment" title="New comment (c)" onClick={onPlace}>
            <Icon of={MessageSquarePlus} />
          </Button>
        ) : null}
        <Button variant="ghost" size="icon-sm" aria-label="Close the panel" onClick={onClose}>
          <Icon of={X} />
        </Button>
      </header>
      <div role="group" aria-label="Filter" className="comment-filters">
        {(isVisitor ? FILTERS.slice(0, VISITOR_FILTERS) : FILTERS).map((each) => (
          <Button
            key={each.filter}
            variant="ghost"
            size="sm"
            aria-pressed={filter === each.filter}
            className={filter === each.filter ? "bg-hover text-accent-text" : undefined}
            onClick={() => onFilter(each.filter)}
          >
            {each.label}
          </Button>
        ))}
      </div>
      <div className="comment-list">
        {composer}
        <ol aria-label="Threads" className="grid gap-2">
          {children}
        </ol>
        {isLoading ? <p className="px-2 text-sm text-faint">Loading…</p> : null}
        {isEmpty && !isLoading ? (
          <p className="px-2 text-soft">
            {FILTERS.find((each) => each.filter === filter)?.empty}
            {mayComment && filter === "open" ? " Press C or select “New comment” to start." : null}
          </p>
        ) : null}
        {more ? (
          <Button size="sm" onClick={more}>
            More threads
          </Button>
        ) : null}
      </div>
    </aside>
  );
}

type NewCommentProps = {
  draft: DraftState;
  itemId: string;
  projectId: string;
  place: string | null;
  onPlace: () => void;
  onCancel: () => void;
  onSend: (text: string, draft: Draft) => Promise<void>;
};

export function NewComment({ draft, itemId, projectId, place, onPlace, onCancel, onSend }: NewCommentProps) {
  return (
    <Composer
      draft={draft}
      label="Write a comment"
      submit="Send"
      projectId={projectId}
      itemId={itemId}
      autoFocus
      asksName
      onSend={onSend}
      onCancel={onCancel}
    >
      <p className="flex items-center gap-1.5 text-sm text-faint">
        <Icon of={MapPin} />
        <span className="flex-1">{place ?? "On the whole image"}</span>
        <Button variant="ghost" size="sm" onClick={onPlace}>
          Change position
        </Button>
      </p>
    </Composer>
  );
}

import { MessageSquare } from "lucide";
import type { MouseEvent } from "react";
import { clsx } from "clsx";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { Icon } from "~/lib/ui/icons/icon";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import { commentsAddress } from "../thread-address";

type CommentsLinkProps = {
  image: { _id: string; designId: string; openThreadCount?: number | undefined; isUnread?: boolean | undefined };
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
};

export function CommentsLink({ image: { _id, designId, openThreadCount = 0, isUnread = false }, isOpen, onOpen }: CommentsLinkProps) {
  const addresses = useItemAddresses();
  return (
    <Link
      to={commentsAddress({ designId, imageId: _id }, addresses)}
      prefetch="none"
      data-command="Comments"
      className={clsx(buttonClass({ variant: "quiet", size: "sm" }), "viewer-comments-link")}
      onClick={(event: MouseEvent) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        onOpen(!isOpen);
      }}
    >
      <Icon of={MessageSquare} />
      <span>Comments</span>
      {openThreadCount > 0 ? (
        <>
          {" "}
          <span className="tabular text-soft">{openThreadCount}</span>
          <span className="sr-only"> open</span>
        </>
      ) : null}
      {isUnread ? (
        <span className="comment-unread">
          <span className="sr-only"> unread</span>
        </span>
      ) : null}
    </Link>
  );
}

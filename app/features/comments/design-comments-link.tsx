import { MessageSquare } from "lucide";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { Icon } from "~/lib/ui/icons/icon";
import { commentsAddress } from "./thread-address";

type DesignCommentsLinkProps = { design: { _id: string; openThreadCount?: number | undefined; isUnread?: boolean | undefined } };

export function DesignCommentsLink({ design: { _id, openThreadCount = 0, isUnread = false } }: DesignCommentsLinkProps) {
  const addresses = useItemAddresses();
  const label = ["Comments", openThreadCount > 0 && `${openThreadCount} open`, isUnread && "unread"].filter(Boolean).join(", ");
  return (
    <ButtonLink
      to={commentsAddress({ designId: _id }, addresses)}
      variant="ghost"
      size="icon-sm"
      aria-label={label}
      data-tooltip={label}
      data-command="Comments"
      className="relative"
    >
      <Icon of={MessageSquare} />
      {isUnread ? <span className="comment-unread absolute end-1 top-1" /> : null}
    </ButtonLink>
  );
}

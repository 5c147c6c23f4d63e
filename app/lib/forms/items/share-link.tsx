import { Share2 } from "lucide";
import { href } from "react-router";
import { useMay } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuLink } from "~/lib/ui/overlays/menu";
import { SHARED_ITEM } from "./shared-item";

type ShareLinkProps = { projectId: string; itemId?: string; command?: string | undefined };

export function ShareLink({ projectId, itemId, command }: ShareLinkProps) {
  if (!useMay()("manageLinks")) return null;
  const search = itemId === undefined ? "" : `?${new URLSearchParams({ [SHARED_ITEM]: itemId })}`;
  return (
    <MenuLink
      to={href("/projects/:id/sharing", { id: projectId }) + search}
      prefetch="none"
      icon={<Icon of={Share2} />}
      {...(command !== undefined && { "data-command": command })}
    >
      Public links
    </MenuLink>
  );
}

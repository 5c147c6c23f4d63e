import { Users } from "lucide";
import { href } from "react-router";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuLink } from "~/lib/ui/overlays/menu";

export function MembersLink({ projectId, isPageItem = false }: { projectId: string; isPageItem?: boolean }) {
  return (
    <MenuLink
      to={href("/projects/:id/members", { id: projectId })}
      icon={<Icon of={Users} />}
      {...(isPageItem && { "data-command": "Members" })}
    >
      Members
    </MenuLink>
  );
}

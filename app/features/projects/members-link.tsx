import { Users } from "lucide-react";
import { href } from "react-router";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuLink } from "~/lib/ui/overlays/menu";

/** On the project's own page it is also a command of the palette. */
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

import { clsx } from "clsx";
import type { IconNode } from "lucide";
import type { NavLinkProps } from "react-router";
import { Icon } from "~/lib/ui/icons/icon";
import { NavLink } from "~/lib/ui/navigation/link";

type SidebarLinkProps = Omit<NavLinkProps, "className" | "children"> & {
  name: string;
  icon: IconNode;
  collapsed: boolean;
  className?: string;
};

export function SidebarLink({ name, icon, collapsed, className, ...rest }: SidebarLinkProps) {
  return (
    <NavLink
      prefetch="intent"
      data-tooltip={collapsed ? name : undefined}
      data-tooltip-side="end"
      className={clsx("sidebar-item", className)}
      {...rest}
    >
      <Icon of={icon} />
      <span>{name}</span>
    </NavLink>
  );
}

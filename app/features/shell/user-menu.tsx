import { Bell, ChevronsUpDown, CreditCard, Keyboard, LogOut, ServerCog, Sparkles, UserRound } from "lucide";
import { Form, href, useLocation } from "react-router";
import { Avatar } from "~/lib/ui/avatar";
import { Icon } from "~/lib/ui/icons/icon";
import { Menu, MenuButton, MenuLink, MenuSeparator } from "~/lib/ui/overlays/menu";
import type { Theme } from "~/lib/ui/theme/preferences";
import type { Preload } from "~/lib/data/preload";
import { UnreadBadge, UnreadDot } from "~/features/notifications/unread";
import { ThemeChoice } from "./theme-choice";

export type ShellUser = { name: string; email: string; image: string | null };

const MENU_ID = "user-menu";

type UserMenuProps = { user: ShellUser; theme: Theme; unread: Preload<number>; isAdministrator: boolean };

export function UserMenu({ user, theme, unread, isAdministrator }: UserMenuProps) {
  const { pathname } = useLocation();
  const linkTo = (to: string) => ({ to, "aria-current": pathname === to ? ("page" as const) : undefined });
  return (
    <>
      <button
        type="button"
        popoverTarget={MENU_ID}
        aria-haspopup="true"
        className="flex w-full cursor-pointer items-center gap-2.5 rounded-md p-1.5 text-start hover:bg-hover md:group-data-[sidebar=collapsed]/shell:p-0"
      >
        <span className="relative shrink-0">
          <Avatar {...user} />
          <UnreadDot unread={unread} />
        </span>
        <span className="grid min-w-0 flex-1 leading-tight md:group-data-[sidebar=collapsed]/shell:sr-only">
          <span dir="auto" className="truncate font-medium">
            {user.name || user.email}
          </span>
          <span className="truncate text-xs text-faint">{user.email}</span>
        </span>
        <Icon of={ChevronsUpDown} className="text-faint md:group-data-[sidebar=collapsed]/shell:hidden" />
      </button>
      <Menu id={MENU_ID} label="You" side="top" className="w-60">
        <MenuLink to={href("/billing")} icon={<Icon of={Sparkles} className="text-accent-text" />}>
          Upgrade to Pro
        </MenuLink>
        <MenuSeparator />
        <MenuLink {...linkTo(href("/account"))} icon={<Icon of={UserRound} />}>
          Account
        </MenuLink>
        <MenuLink {...linkTo(href("/billing"))} icon={<Icon of={CreditCard} />}>
          Billing
        </MenuLink>
        <MenuLink {...linkTo(href("/notifications"))} icon={<Icon of={Bell} />}>
          Notifications
          <UnreadBadge unread={unread} />
        </MenuLink>
        <MenuLink {...linkTo(href("/shortcuts"))} icon={<Icon of={Keyboard} />}>
          Keyboard shortcuts
        </MenuLink>
        {isAdministrator ? (
          // A document navigation, because pages know the administration's routes only in its own documents.
          <MenuLink {...linkTo(href("/admin"))} reloadDocument icon={<Icon of={ServerCog} />}>
            Administration
          </MenuLink>
        ) : null}
        <MenuSeparator />
        <ThemeChoice theme={theme} />
        <MenuSeparator />
        {/* A document navigation clears all data of the previous user. */}
        <Form method="post" action={href("/sign-out")} reloadDocument>
          <MenuButton icon={<Icon of={LogOut} />}>Log out</MenuButton>
        </Form>
      </Menu>
    </>
  );
}

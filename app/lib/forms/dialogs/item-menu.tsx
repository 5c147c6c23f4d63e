import { isolate } from "~/lib/ui/isolate";
import { Download, ExternalLink, ListChecks, Pencil, Trash, X } from "lucide";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { useMay } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { hideMenu, isMenuOpen, Menu, MenuButton, MenuLink, moveInMenu } from "~/lib/ui/overlays/menu";
import { placeMenu } from "./context-menu";
import type { IntentName } from "../intents";
import type { OpenItemDialog, Item } from "./item-dialogs";
import { MenuAction } from "./menu-action";
import { OPENED, OPENING } from "./item-menu-form";
import { MENU, withoutOpenDialog, withOpenDialog } from "./open-dialog-param";

type ItemMenuProps = {
  item: Item;
  to: string | null;
  openDialog: (requested: OpenItemDialog) => void;
  remove: IntentName;
  archive?: string | undefined;
  select?: () => void;
  children?: ReactNode;
};

/** Renders a menu only when needed, because 200 menus would dominate the page. Without JavaScript the button requests `?menu=…`. */
export function ItemMenu({ item, to, openDialog, remove, archive, select, children }: ItemMenuProps) {
  const mayRename = useMay()("edit");
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const isRequested = useSearchParams()[0].get(MENU) === item._id;
  const [state, setState] = useState<"unmade" | "open" | "closed">(isRequested ? "open" : "unmade");
  /** The server renders the menu open in place, because no HTML attribute opens a popover. */
  const [inPlace, setInPlace] = useState(isRequested);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const pressedOpen = useRef(false);
  const id = `menu-${item._id}`;

  const show = () => {
    menu.current?.showPopover({ source: button.current ?? undefined });
    placeMenu(menu.current);
  };
  useEffect(() => {
    if (!inPlace) return;
    if (!isMenuOpen(menu.current)) show();
    setInPlace(false);
  }, [inPlace]);

  function toggle(event: MouseEvent) {
    event.preventDefault();
    // The pointer press already closed the menu before this click.
    const wasOpen = pressedOpen.current || isMenuOpen(menu.current);
    pressedOpen.current = false;
    if (wasOpen) return hideMenu(menu.current);
    flushSync(() => setState("open"));
    show();
  }
  function closed() {
    setState("closed");
    if (isRequested) void navigate(pathname + withoutOpenDialog(search), { replace: true, preventScrollReset: true });
  }
  const dialogLink = (what: OpenItemDialog["what"]) => ({
    to: { search: withOpenDialog(search, what, item._id) },
    prefetch: "none" as const,
    onClick(event: MouseEvent) {
      event.preventDefault();
      openDialog({ what, item });
    },
  });

  return (
    <>
      <button
        ref={button}
        id={isRequested ? OPENED : undefined}
        form={OPENING}
        name={MENU}
        value={item._id}
        aria-label={`More for ${isolate(item.name)}`}
        aria-expanded={state === "open"}
        className="menu-button"
        onPointerDown={() => {
          pressedOpen.current = isMenuOpen(menu.current);
        }}
        onClick={toggle}
        onKeyDown={(event) => {
          if (isMenuOpen(menu.current)) moveInMenu(event, menu.current);
        }}
      />
      {state === "unmade" ? null : (
        <Menu
          ref={menu}
          id={id}
          label={item.name}
          className="w-52 min-w-0"
          data-open={inPlace || undefined}
          onToggle={({ newState }) => {
            if (newState === "closed") closed();
          }}
        >
          {select ? (
            <MenuButton type="button" className="menu-item noscript:hidden" icon={<Icon of={ListChecks} />} onClick={select}>
              Select
            </MenuButton>
          ) : null}
          {mayRename ? (
            <MenuLink {...dialogLink("rename")} icon={<Icon of={Pencil} />}>
              Rename
            </MenuLink>
          ) : null}
          {children}
          {to === null ? null : (
            <MenuLink to={to} target="_blank" prefetch="none" icon={<Icon of={ExternalLink} />}>
              Open in new tab
            </MenuLink>
          )}
          {archive === undefined ? null : (
            <MenuLink to={archive} reloadDocument prefetch="none" icon={<Icon of={Download} />}>
              Download
            </MenuLink>
          )}
          <MenuAction intent={remove} values={{ id: item._id }} icon={<Icon of={Trash} />} danger>
            Move to trash
          </MenuAction>
          {inPlace ? (
            <MenuLink to={{ search: withoutOpenDialog(search) }} prefetch="none" preventScrollReset icon={<Icon of={X} />}>
              Close
            </MenuLink>
          ) : null}
        </Menu>
      )}
    </>
  );
}

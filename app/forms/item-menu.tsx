import { Download, MoreHorizontal, Pencil, Trash2, X } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { hideMenu, isMenuOpen, Menu, MenuLink, moveInMenu } from "~/ui/menu";
import type { Asked, Item } from "./item-dialogs";
import { MENU, withoutQuestion, withQuestion } from "./question";

/** The form to which the three dots of all items belong. */
const OPENING = "item-menus";
/** The element that has the open menu beside it, where the page is to be scrolled to. */
const OPENED = "open-menu";

type ItemMenuProps = {
  item: Item;
  ask: (asked: Asked) => void;
  /** The address of what it holds as an archive; left out where there is nothing to be had. */
  archive?: string | undefined;
  /** What else can be done with it. */
  children?: ReactNode;
};

/**
 * The button with three dots, and what it offers: made only once it is asked for, as the menus of two hundred items would be most of a page. Without
 * scripts the button asks the server for the page with this one menu open (`?menu=…`); with them nothing is loaded for it.
 */
export function ItemMenu({ item, ask, archive, children }: ItemMenuProps) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const asked = useSearchParams()[0].get(MENU) === item._id;
  const [state, setState] = useState<"unmade" | "open" | "closed">(asked ? "open" : "unmade");
  /** As the server sent it: open where it stands, which no markup can say of a popover. */
  const [inPlace, setInPlace] = useState(asked);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const pressedOpen = useRef(false);
  const id = `menu-${item._id}`;

  const show = () => menu.current?.showPopover({ source: button.current ?? undefined });
  useEffect(() => {
    if (!inPlace) return;
    if (!isMenuOpen(menu.current)) show();
    setInPlace(false);
  }, [inPlace]);

  function toggle(event: MouseEvent) {
    event.preventDefault();
    // A press beside an open menu closes it, before this is told of the click.
    const wasOpen = pressedOpen.current || isMenuOpen(menu.current);
    pressedOpen.current = false;
    if (wasOpen) return hideMenu(menu.current);
    flushSync(() => setState("open"));
    show();
  }
  function closed() {
    setState("closed");
    if (asked) void navigate(pathname + withoutQuestion(search), { replace: true, preventScrollReset: true });
  }
  const asks = (what: Asked["what"]) => ({
    to: { search: withQuestion(search, what, item._id) },
    prefetch: "none" as const,
    onClick(event: MouseEvent) {
      event.preventDefault();
      ask({ what, item });
    },
  });

  return (
    <>
      <button
        ref={button}
        id={asked ? OPENED : undefined}
        type="submit"
        form={OPENING}
        name={MENU}
        value={item._id}
        aria-label={`More for ${item.name}`}
        aria-expanded={state === "open"}
        className={buttonClass({ look: "ghost", size: "icon-sm" })}
        onPointerDown={() => {
          pressedOpen.current = isMenuOpen(menu.current);
        }}
        onClick={toggle}
        onKeyDown={(event) => {
          if (isMenuOpen(menu.current)) moveInMenu(event, menu.current);
        }}
      >
        <Icon of={MoreHorizontal} />
      </button>
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
          <MenuLink {...asks("rename")} icon={<Icon of={Pencil} />}>
            Rename
          </MenuLink>
          {children}
          {archive === undefined ? null : (
            <MenuLink to={archive} reloadDocument prefetch="none" icon={<Icon of={Download} />}>
              Download
            </MenuLink>
          )}
          <MenuLink {...asks("remove")} icon={<Icon of={Trash2} />} danger>
            Move to trash
          </MenuLink>
          {inPlace ? (
            <MenuLink to={{ search: withoutQuestion(search) }} prefetch="none" preventScrollReset icon={<Icon of={X} />}>
              Close
            </MenuLink>
          ) : null}
        </Menu>
      )}
    </>
  );
}

/** The form with which browsers without scripts ask for one of a page's menus; what else the page's address says stays. */
export function ItemMenuForm() {
  const rest = new URLSearchParams(withoutQuestion(useLocation().search));
  return (
    <form id={OPENING} method="get" action={`#${OPENED}`} className="hidden">
      {[...rest].map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}

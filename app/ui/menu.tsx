import type { ComponentProps, KeyboardEvent, MouseEvent, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import { clsx } from "clsx";

type MenuProps = Omit<ComponentProps<"div">, "id" | "role" | "popover"> & {
  id: string;
  /** What the menu is about, for those who do not see where it hangs. */
  label: string;
  side?: "bottom" | "top";
  "data-open"?: boolean | undefined;
};

/**
 * A native popover with links and buttons; a button with `popoverTarget={id}` opens it. Escape and a click elsewhere close it, without any
 * script. It is a group of ordinary links and buttons, reached by Tab; with scripts arrows lead through it as well.
 */
export function Menu({ id, label, side = "bottom", className, ...rest }: MenuProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of the controls in it
    <div
      id={id}
      popover="auto"
      role="group"
      aria-label={label}
      data-side={side}
      className={clsx("menu", className)}
      onKeyDown={(event) => moveInMenu(event, event.currentTarget)}
      {...rest}
    />
  );
}

/** Has the arrows, Home and End lead from item to item of an open menu: from its button into it, and around its ends. */
export function moveInMenu(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = [...(menu?.querySelectorAll<HTMLElement>(".menu-item") ?? [])];
  const at = items.findIndex((item) => item === document.activeElement);
  const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
  const place = places[event.key];
  if (place === undefined || items.length === 0) return;
  event.preventDefault();
  items.at(place % items.length)?.focus();
}

type ItemProps = { icon?: ReactNode; danger?: boolean };

/** A way to somewhere. The menu closes behind it, as the page that it hangs in may stay. */
export function MenuLink({ icon, danger, children, onClick, ...rest }: LinkProps & ItemProps) {
  return (
    <Link
      prefetch="intent"
      className="menu-item"
      data-danger={danger || undefined}
      onClick={(event) => {
        closeMenu(event);
        onClick?.(event);
      }}
      {...rest}
    >
      {icon}
      {children}
    </Link>
  );
}

/** Something to do: a submit button of the form it stands in, unless told otherwise. */
export function MenuButton({ icon, danger, children, onClick, type = "submit", ...rest }: ComponentProps<"button"> & ItemProps) {
  return (
    <button
      type={type}
      className="menu-item"
      data-danger={danger || undefined}
      onClick={(event) => {
        closeMenu(event);
        onClick?.(event);
      }}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

export function MenuSeparator() {
  return <hr className="mx-1 my-1 border-line" />;
}

function closeMenu(event: MouseEvent<HTMLElement>) {
  hideMenu(event.currentTarget.closest<HTMLElement>("[popover]"));
}

export const isMenuOpen = (menu: HTMLElement | null) => menu?.matches(":popover-open") ?? false;

export function hideMenu(menu: HTMLElement | null): void {
  if (isMenuOpen(menu)) menu?.hidePopover();
}

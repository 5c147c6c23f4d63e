import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import { clsx } from "clsx";

type MenuProps = {
  id: string;
  /** What the menu is about, for those who do not see where it hangs. */
  label: string;
  side?: "bottom" | "top";
  className?: string;
  children: ReactNode;
};

/**
 * A native popover with links and buttons; a button with `popoverTarget={id}` opens it. Escape and a click elsewhere close it, without any
 * script. It is a group of ordinary links and buttons, reached by Tab, and promises no arrow keys.
 */
export function Menu({ id, label, side = "bottom", className, children }: MenuProps) {
  return (
    <div id={id} popover="auto" role="group" aria-label={label} data-side={side} className={clsx("menu", className)}>
      {children}
    </div>
  );
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
  const menu = event.currentTarget.closest("[popover]");
  if (menu instanceof HTMLElement && menu.matches(":popover-open")) menu.hidePopover();
}

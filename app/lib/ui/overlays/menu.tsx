import type { ComponentProps, KeyboardEvent, MouseEvent, MouseEventHandler, ReactNode } from "react";
import type { LinkProps } from "react-router";
import { clsx } from "clsx";
import { Link } from "../navigation/link";
import { pressedKey } from "../inputs/keys";

type MenuProps = Omit<ComponentProps<"div">, "id" | "role" | "popover"> & {
  id: string;
  label: string;
  side?: "bottom" | "top";
  "data-open"?: boolean | undefined;
};

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

export function moveInMenu(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = [...(menu?.querySelectorAll<HTMLElement>(".menu-item") ?? [])];
  const at = items.findIndex((item) => item === document.activeElement);
  const indexes: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
  const index = indexes[pressedKey(event.nativeEvent)];
  if (index === undefined || items.length === 0) return;
  event.preventDefault();
  items.at(index % items.length)?.focus();
}

type ItemProps = { icon?: ReactNode; danger?: boolean };

export function MenuLink({ icon, danger, children, onClick, ...rest }: LinkProps & ItemProps) {
  return (
    <Link prefetch="intent" {...menuItem(danger, onClick)} {...rest}>
      {icon}
      {children}
    </Link>
  );
}

export function MenuButton({ icon, danger, children, onClick, type = "submit", ...rest }: ComponentProps<"button"> & ItemProps) {
  return (
    <button type={type} {...menuItem(danger, onClick)} {...rest}>
      {icon}
      {children}
    </button>
  );
}

const menuItem = <Item extends HTMLElement>(danger = false, onClick?: MouseEventHandler<Item>) => ({
  className: "menu-item",
  "data-danger": danger || undefined,
  onClick(event: MouseEvent<Item>) {
    hideMenu(event.currentTarget.closest<HTMLElement>("[popover]"));
    onClick?.(event);
  },
});

export function MenuSeparator() {
  return <hr />;
}

export const isMenuOpen = (menu: HTMLElement | null) => menu?.matches(":popover-open") ?? false;

export function hideMenu(menu: HTMLElement | null): void {
  if (isMenuOpen(menu)) menu?.hidePopover();
}

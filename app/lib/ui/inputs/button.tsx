import type { ComponentProps } from "react";
import type { LinkProps } from "react-router";
import { clsx } from "clsx";
import { Link } from "../navigation/link";

export type ButtonLook = "primary" | "quiet" | "danger" | "ghost";
export type ButtonSize = "md" | "sm" | "icon" | "icon-sm";

type Look = { look?: ButtonLook; size?: ButtonSize };

export function buttonClass({ look = "quiet", size = "md" }: Look = {}, className?: string): string {
  return clsx(`button button-${look} button-${size}`, className);
}

export type ButtonProps = ComponentProps<"button"> & Look;

/** Defaults to `type="button"`, so that no button submits a form by accident. */
export function Button({ look, size, className, type = "button", ...rest }: ButtonProps) {
  return <button type={type} className={buttonClass({ look, size }, className)} {...rest} />;
}

export function ButtonLink({ look, size, className, ...rest }: LinkProps & Look) {
  return (
    <Link prefetch="intent" className={buttonClass({ look, size }, typeof className === "string" ? className : undefined)} {...rest} />
  );
}

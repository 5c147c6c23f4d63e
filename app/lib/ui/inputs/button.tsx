import type { ComponentProps } from "react";
import type { LinkProps } from "react-router";
import { clsx } from "clsx";
import { Link } from "../navigation/link";

export type ButtonVariant = "primary" | "quiet" | "danger" | "ghost";
export type ButtonSize = "md" | "sm" | "icon" | "icon-sm";

type ButtonStyle = { variant?: ButtonVariant; size?: ButtonSize };

export function buttonClass({ variant = "quiet", size = "md" }: ButtonStyle = {}, className?: string): string {
  return clsx(`button button-${variant} button-${size}`, className);
}

export type ButtonProps = ComponentProps<"button"> & ButtonStyle;

export function Button({ variant, size, className, type = "button", ...rest }: ButtonProps) {
  return <button type={type} className={buttonClass({ variant, size }, className)} {...rest} />;
}

export function ButtonLink({ variant, size, className, ...rest }: LinkProps & ButtonStyle) {
  return (
    <Link prefetch="intent" className={buttonClass({ variant, size }, typeof className === "string" ? className : undefined)} {...rest} />
  );
}

import type { ComponentProps } from "react";
import { Link, type LinkProps } from "react-router";
import { clsx } from "clsx";

/** `primary`: the one thing this place is for. `quiet`: everything else. `danger`: what destroys. `ghost`: in bars and rows. */
export type ButtonLook = "primary" | "quiet" | "danger" | "ghost";
export type ButtonSize = "md" | "sm" | "icon" | "icon-sm";

type Look = { look?: ButtonLook; size?: ButtonSize };

/** The classes of a button, for what is none but must look like one (components.css). */
export function buttonClass({ look = "quiet", size = "md" }: Look = {}, className?: string): string {
  return clsx(`button button-${look} button-${size}`, className);
}

export type ButtonProps = ComponentProps<"button"> & Look;

/** A button; says its type, so that none sends a form by accident. */
export function Button({ look, size, className, type = "button", ...rest }: ButtonProps) {
  return <button type={type} className={buttonClass({ look, size }, className)} {...rest} />;
}

/** A link that looks like a button. It preloads on intent, as every link here. */
export function ButtonLink({ look, size, className, ...rest }: LinkProps & Look) {
  return (
    <Link prefetch="intent" className={buttonClass({ look, size }, typeof className === "string" ? className : undefined)} {...rest} />
  );
}

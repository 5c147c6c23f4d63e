import type { ComponentProps } from "react";
import { Link, type LinkProps } from "react-router";
import { cx } from "./cx";

/** `primary`: the one thing this place is for. `quiet`: everything else. `danger`: what destroys. `ghost`: in bars and rows. */
export type ButtonLook = "primary" | "quiet" | "danger" | "ghost";
export type ButtonSize = "md" | "sm" | "icon" | "icon-sm";

type Look = { look?: ButtonLook; size?: ButtonSize };

/** The classes of a button, for what is none but must look like one. Touch targets grow to 44 px where pointers are coarse. */
export function buttonClass({ look = "quiet", size = "md" }: Look = {}, className?: string): string {
  return cx(
    // The edge is there for all: where the system chooses the colours it is what a button is seen by.
    "inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none",
    "transition-[background-color,border-color,color,opacity] active:opacity-85 disabled:cursor-default disabled:opacity-50 aria-disabled:opacity-50",
    looks[look],
    sizes[size],
    className,
  );
}

const looks: Record<ButtonLook, string> = {
  primary: "border-transparent bg-accent text-accent-ink hover:bg-accent-hover",
  quiet: "border-line bg-card text-ink hover:bg-hover",
  danger: "border-transparent bg-danger text-danger-ink hover:bg-danger-hover",
  ghost: "border-transparent text-soft hover:bg-hover hover:text-ink",
};

const sizes: Record<ButtonSize, string> = {
  md: "h-9 px-3.5 text-base pointer-coarse:h-11",
  sm: "h-8 px-2.5 text-sm pointer-coarse:h-11 pointer-coarse:min-w-11",
  icon: "size-9 pointer-coarse:size-11",
  "icon-sm": "size-8 pointer-coarse:size-11",
};

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

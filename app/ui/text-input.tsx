import type { ComponentProps } from "react";
import { cx } from "./cx";

/** A one-line text field. Its edge is 3:1 against every wall, so that it is seen to be one; its text is never under 16 px on phones, which would zoom. */
export function TextInput({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return (
    <input
      type={type}
      className={cx(
        "h-9 w-full rounded-md border border-edge bg-ground px-3 text-base text-ink pointer-coarse:h-11 pointer-coarse:text-lg",
        "placeholder:text-faint hover:border-soft focus-visible:outline-offset-0",
        "aria-invalid:border-danger-text disabled:opacity-50",
        className,
      )}
      {...rest}
    />
  );
}

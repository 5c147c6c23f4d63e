import type { ComponentProps } from "react";
import { cx } from "./cx";

/** The platform's own list to choose one from, as high as a text field and with its edge. */
export function Select({ className, ...rest }: ComponentProps<"select">) {
  return (
    <select
      className={cx(
        "h-9 w-full rounded-md border border-edge bg-ground px-2.5 text-base text-ink pointer-coarse:h-11 pointer-coarse:text-lg",
        "hover:border-soft focus-visible:outline-offset-0",
        className,
      )}
      {...rest}
    />
  );
}

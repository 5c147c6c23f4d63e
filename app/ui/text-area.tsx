import type { ComponentProps } from "react";
import { cx } from "./cx";

/** A text field of several lines, which grows with what is typed; otherwise as `TextInput`. */
export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      className={cx(
        "field-sizing-content max-h-[40dvh] min-h-24 w-full resize-y rounded-md border border-edge bg-ground px-3 py-2 text-base text-ink pointer-coarse:text-lg",
        "placeholder:text-faint hover:border-soft focus-visible:outline-offset-0 aria-invalid:border-danger-text",
        className,
      )}
      {...rest}
    />
  );
}

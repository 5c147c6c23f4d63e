import type { ComponentProps } from "react";
import { clsx } from "clsx";

/** A text field of several lines, which grows with what is typed. */
export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={clsx("textbox textbox-tall", className)} {...rest} />;
}

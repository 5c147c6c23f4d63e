import type { ComponentProps } from "react";
import { clsx } from "clsx";

/** A one-line text field. */
export function TextInput({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return <input type={type} className={clsx("textbox", className)} {...rest} />;
}

import type { ComponentProps } from "react";
import { clsx } from "clsx";

export function TextInput({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return <input type={type} dir={isText(type) ? "auto" : undefined} className={clsx("textbox", className)} {...rest} />;
}

const isText = (type: string) => type === "text" || type === "search";

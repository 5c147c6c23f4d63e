import type { ComponentProps } from "react";
import { clsx } from "clsx";

/** The platform's own list to choose one from, as high as a text field and with its edge. */
export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select className={clsx("textbox select", className)} {...rest} />;
}

import type { ComponentProps } from "react";
import { clsx } from "clsx";

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select className={clsx("textbox select", className)} {...rest} />;
}

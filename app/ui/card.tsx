import type { ComponentProps } from "react";
import { clsx } from "clsx";

/** A thing among its like: lighter than the wall, a hairline around it. */
export function Card({ className, ...rest }: ComponentProps<"div">) {
  return <div className={clsx("card", className)} {...rest} />;
}

import type { ComponentProps } from "react";
import { clsx } from "clsx";

export function Card({ className, ...rest }: ComponentProps<"div">) {
  return <div className={clsx("card", className)} {...rest} />;
}

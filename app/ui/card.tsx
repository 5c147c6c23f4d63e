import type { ComponentProps } from "react";
import { cx } from "./cx";

/** A thing among its like: lighter than the wall, a hairline around it. */
export function Card({ className, ...rest }: ComponentProps<"div">) {
  return <div className={cx("rounded-lg border border-line bg-card", className)} {...rest} />;
}

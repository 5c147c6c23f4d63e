import { type ClassValue, clsx } from "clsx";
import { twMerge } from "tailwind-merge";

/** Class names put together; of two that say the same thing differently the last one counts. */
export function cx(...classes: ClassValue[]): string {
  return twMerge(clsx(classes));
}

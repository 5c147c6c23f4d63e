import { randomBytes } from "node:crypto";

/** Sixteen hexadecimal digits, as on Convex. */
export const newRequestId = (): string => randomBytes(8).toString("hex");

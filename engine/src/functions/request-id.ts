import { randomBytes } from "node:crypto";

/** What a failure is called by, to its caller and in the log: sixteen hexadecimal digits, as on every Convex deployment. */
export const newRequestId = (): string => randomBytes(8).toString("hex");

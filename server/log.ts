import { pino } from "pino";

/** What the server process tells about itself: one JSON object a line on standard output. */
export const log = pino({ name: "atelier", level: process.env.LOG_LEVEL ?? "info", base: null });

export type Log = typeof log;

import { createHash } from "node:crypto";

const LONGEST = 256;

export const shortKey = (text: string): string => (text.length <= LONGEST ? text : createHash("sha256").update(text).digest("base64"));

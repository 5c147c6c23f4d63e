/** Returns the first `length` UTF-16 code units, without half a character at the end, which Convex refuses. */
export const cutText = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

/** Returns the name of a project for images without a folder. @example nameOfDay(new Date()) // "23 November 2026" */
export const nameOfDay = (at: Date): string => new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(at);

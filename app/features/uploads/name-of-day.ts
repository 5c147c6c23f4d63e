/** Returns the name of a project for images without a folder. `timeZone`: IANA, by default the browser's. @example "23 November 2026" */
export const nameOfDay = (at: Date, timeZone?: string): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone }).format(at);

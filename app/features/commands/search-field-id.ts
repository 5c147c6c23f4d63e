/** Shared by the field shown during loading and the palette's own. */
export const FIELD = { label: "Search or run a command", placeholder: "Search or jump to…" } as const;

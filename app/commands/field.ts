/** What the palette's field is called: the one that is there while the palette is loaded, and then the palette's own. */
export const FIELD = { label: "A command, or what to find", placeholder: "Go to, do, or find…" } as const;

export const FIELD = { label: "Search or run a command", placeholder: "Search or jump to…" } as const;

export const isMirrored = (): boolean => document.documentElement.dir === "rtl";

export const confirmationOf = (shownEmail: string): string => shownEmail || "delete my account";

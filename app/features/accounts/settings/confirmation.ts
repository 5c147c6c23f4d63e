export const confirmationOf = (displayedEmail: string): string => displayedEmail || "delete my account";

/** What somebody types so that their account is deleted: their address, or where they have none here, what it is that they do. */
export const confirmationOf = (shownEmail: string): string => shownEmail || "delete my account";

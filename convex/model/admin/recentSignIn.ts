/** How recently an administrator must have signed in, or entered the password, before a destructive action. */
export const RECENT_SIGN_IN_MS = 15 * 60 * 1000;

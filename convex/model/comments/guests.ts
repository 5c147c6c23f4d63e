/** Ids of visitors of public links as authors, created by the app server. */
const GUEST = /^guest-[\w-]{16,40}$/;

export const isGuest = (id: string): boolean => GUEST.test(id);

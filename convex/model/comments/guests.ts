/** Ids of visitors of public links as authors. The app server makes them. */
const GUEST = /^guest-[\w-]{16,40}$/;

export const isGuest = (id: string): boolean => GUEST.test(id);

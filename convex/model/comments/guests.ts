const GUEST = /^guest-[\w-]{16,40}$/;

export const isGuest = (id: string): boolean => GUEST.test(id);

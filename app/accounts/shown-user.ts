import { isPlaceholder } from "#convex/accounts/placeholder";

/** Somebody as pages show them: without an address where theirs only stands in for one. */
export const shownUser = <User extends { email: string }>(user: User): User => (isPlaceholder(user.email) ? { ...user, email: "" } : user);

import { isPlaceholder } from "#convex/model/accounts/placeholder";

export const userSummary = <User extends { email: string }>(user: User): User =>
  isPlaceholder(user.email) ? { ...user, email: "" } : user;

import { isNotFound } from "~/lib/ui/errors/error-messages";

/** For people without the role, the server has no such route. React Router then misses the route's result. */
const NO_RESULT = /^No result found for routeId/;

export const isAdministrationGone = (error: unknown): boolean =>
  isNotFound(error) || (error instanceof Error && NO_RESULT.test(error.message));

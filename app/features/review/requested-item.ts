/** The search parameter of `/projects/:id/review` with the design or image of a new request. */
export const REQUESTED_ITEM = "item";

/** The search parameter of `/projects/:id/sharing` with the design or image that a new link shows. */
export const SHARED_ITEM = "item";

export const REQUESTED_ITEM = "item";

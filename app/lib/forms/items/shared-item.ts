export const SHARED_ITEM = "item";

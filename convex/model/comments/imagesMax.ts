export const COMMENT_IMAGES_MAX = 10;

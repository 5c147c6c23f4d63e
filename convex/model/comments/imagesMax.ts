/** Images of one comment (docs/specification.md, section 6). */
export const COMMENT_IMAGES_MAX = 10;

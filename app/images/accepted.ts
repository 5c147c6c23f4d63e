/** The picture files that are taken, recognised by their content (`inspect.server.ts`), with the ends that name them. */
export const ACCEPTED = {
  "image/jpeg": { name: "JPEG", ends: ["jpg", "jpeg", "jpe", "jfif"] },
  "image/png": { name: "PNG", ends: ["png"] },
  "image/webp": { name: "WebP", ends: ["webp"] },
  "image/gif": { name: "GIF", ends: ["gif"] },
  "image/avif": { name: "AVIF", ends: ["avif"] },
  "image/svg+xml": { name: "SVG", ends: ["svg"] },
} as const;

export type AcceptedType = keyof typeof ACCEPTED;

/** For a file chooser, which only suggests: what counts is the content. */
export const ACCEPT_ATTRIBUTE = Object.keys(ACCEPTED).join(",");

/** "JPEG, PNG, WebP, GIF, AVIF or SVG": for every text that has to name them. */
export const ACCEPTED_NAMES = "JPEG, PNG, WebP, GIF, AVIF or SVG";

export function isAcceptedType(type: string): type is AcceptedType {
  return Object.hasOwn(ACCEPTED, type);
}

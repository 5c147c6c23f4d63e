/** Accepted types, recognised by content (`inspect-image.server.ts`), with their file extensions. */
export const ACCEPTED = {
  "image/jpeg": { name: "JPEG", ends: ["jpg", "jpeg", "jpe", "jfif"] },
  "image/png": { name: "PNG", ends: ["png"] },
  "image/webp": { name: "WebP", ends: ["webp"] },
  "image/gif": { name: "GIF", ends: ["gif"] },
  "image/avif": { name: "AVIF", ends: ["avif"] },
  "image/svg+xml": { name: "SVG", ends: ["svg"] },
} as const;

export type AcceptedType = keyof typeof ACCEPTED;

export const ACCEPT_ATTRIBUTE = Object.keys(ACCEPTED).join(",");

export const ACCEPTED_NAMES = "JPEG, PNG, WebP, GIF, AVIF or SVG";

export function isAcceptedType(type: string): type is AcceptedType {
  return Object.hasOwn(ACCEPTED, type);
}

/** Accepted types, recognised by content (`inspect-image.server.ts`), with their file extensions. */
export const ACCEPTED = {
  "image/jpeg": { name: "JPEG", ends: ["jpg", "jpeg", "jpe", "jfif"] },
  "image/png": { name: "PNG", ends: ["png"] },
  "image/webp": { name: "WebP", ends: ["webp"] },
  "image/gif": { name: "GIF", ends: ["gif"] },
  "image/avif": { name: "AVIF", ends: ["avif"] },
  "image/heic": { name: "HEIC", ends: ["heic", "heif", "hif"] },
  "application/pdf": { name: "PDF", ends: ["pdf"] },
  "image/svg+xml": { name: "SVG", ends: ["svg"] },
} as const;

export type AcceptedType = keyof typeof ACCEPTED;

/** Browsers without a type for HEIC offer its files by their extensions. */
export const ACCEPT_ATTRIBUTE = [...Object.keys(ACCEPTED), "image/heif", ".heic", ".heif"].join(",");

export const ACCEPTED_NAMES = "JPEG, PNG, WebP, GIF, AVIF, HEIC, SVG or PDF";

export function isAcceptedType(type: string): type is AcceptedType {
  return Object.hasOwn(ACCEPTED, type);
}

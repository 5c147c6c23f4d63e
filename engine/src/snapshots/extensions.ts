const EXTENSIONS: Record<string, string> = {
  "application/json": ".json",
  "application/pdf": ".pdf",
  "image/avif": ".avif",
  "image/gif": ".gif",
  "image/heic": ".heic",
  "image/jpeg": ".jpeg",
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "image/webp": ".webp",
  "text/plain": ".txt",
  "video/mp4": ".mp4",
};

export const extensionOf = (contentType: string | undefined): string => EXTENSIONS[contentType?.split(";")[0]?.trim() ?? ""] ?? "";

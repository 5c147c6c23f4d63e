import { ACCEPTED_NAMES } from "./accepted-types";

const REFUSED: Record<string, { name: string; advice: string; ends: string[] }> = {
  "image/tiff": { name: "TIFF", advice: "Export it as a PNG.", ends: ["tif", "tiff"] },
  "image/heic-sequence": { name: "HEIC sequence", advice: "Export it as a video frame or as a JPEG.", ends: ["heics"] },
  "image/heif-sequence": { name: "HEIF sequence", advice: "Export it as a video frame or as a JPEG.", ends: ["heifs"] },
  "image/vnd.adobe.photoshop": { name: "Photoshop", advice: "Export it as a PNG or PDF.", ends: ["psd", "psb"] },
  "application/postscript": { name: "PostScript", advice: "Export it as a PDF or SVG.", ends: ["ai", "eps", "ps"] },
  "image/bmp": { name: "BMP", advice: "Save it as a PNG.", ends: ["bmp"] },
  "image/x-icon": { name: "icon", advice: "Save it as a PNG.", ends: ["ico"] },
  "image/jxl": { name: "JPEG XL", advice: "Export it as a JPEG or AVIF.", ends: ["jxl"] },
  "application/zip": { name: "ZIP", advice: "Unpack it, then choose the images.", ends: ["zip"] },
};

/** Returns the reason for refusing a type, and advice. `end`: the file's extension, where only the browser's type is known. */
export function refusalOfType(type: string, end = ""): string {
  const refusedType = REFUSED[type] ?? Object.values(REFUSED).find(({ ends }) => ends.includes(end));
  if (refusedType) return `Unsupported file type (${refusedType.name}). ${refusedType.advice}`;
  if (type.startsWith("video/")) return "Unsupported file type (video). Export a frame as a JPEG, or an animation as a GIF or WebP.";
  const named = end === "" ? "" : ` (.${end})`;
  return `Unsupported file type${named}. Choose a ${ACCEPTED_NAMES} file.`;
}

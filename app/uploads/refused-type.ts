import { ACCEPTED, ACCEPTED_NAMES, isAcceptedType } from "~/images/accepted";

const ENDS = new Set<string>(Object.values(ACCEPTED).flatMap(({ ends }) => ends));

/**
 * Why a file need not be sent at all: empty, or something else than a picture both by its name and by what the browser takes it for. Null for
 * anything that might be one: what counts in the end is the content, and that is looked at by the server.
 */
export function refusedBeforehand({ name, size, type }: Pick<File, "name" | "size" | "type">): string | null {
  if (size === 0) return "The file is empty.";
  const end = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (type === "" || isAcceptedType(type) || ENDS.has(end)) return null;
  return `${type.startsWith("video/") ? "This is a video." : `This is ${named(type)}.`} Choose a ${ACCEPTED_NAMES} file.`;
}

function named(type: string): string {
  if (type === "application/pdf") return "a PDF";
  if (/heic|heif/.test(type)) return "a HEIC photograph";
  if (type === "image/tiff") return "a TIFF file";
  if (type.startsWith("audio/")) return "a sound";
  if (type.startsWith("text/")) return "a text";
  return "no picture that can be shown here";
}

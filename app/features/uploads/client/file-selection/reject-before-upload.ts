import { ACCEPTED, isAcceptedType } from "~/features/images/display/accepted-types";
import { refusalOfType } from "~/features/images/display/refused-types";

const ENDS = new Set<string>(Object.values(ACCEPTED).flatMap(({ ends }) => ends));

/** Returns why a file need not be sent: empty, or not a picture by both name and type. The server decides by content. */
export function rejectBeforeUpload({ name, size, type }: Pick<File, "name" | "size" | "type">): string | null {
  if (size === 0) return "The file is empty.";
  const end = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (type === "" || isAcceptedType(type) || ENDS.has(end)) return null;
  return refusalOfType(type, end);
}

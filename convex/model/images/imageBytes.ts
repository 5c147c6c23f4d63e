import type { Doc } from "../../_generated/dataModel";

/** Returns the bytes that a file adds to its image. The pages of a PDF share its file, which counts for the first page. */
export const bytesOfFile = ({ size, page = 1 }: Pick<Doc<"designImages">, "size" | "page">): number => (page === 1 ? size : 0);

/** Returns the bytes that items add to their parent. Images of earlier builds add nothing until `upgrade.ts` has counted them. */
export const bytesIn = (items: readonly { bytes?: number }[]): number => items.reduce((sum, { bytes = 0 }) => sum + bytes, 0);

import type { FunctionReturnType } from "convex/server";
import type { RequestConvex } from "~/data/convex.server";
import type { Preload } from "~/data/preload";
import { api } from "#convex/_generated/api";
import type { DesignImage } from "./intents";

/** The search parameter that leads past a design's first images: where the page before ended, or `first` for right after them. */
export const LATER_PAGES = "after";
const RIGHT_AFTER_FIRST = "first";

/** As many as `getDesignImagesByDesignId` answers (convex/paging.ts). */
const PAGE_SIZE = 200;

type Answer =
  | FunctionReturnType<typeof api.designImages.getDesignImagesByDesignId>
  | FunctionReturnType<typeof api.designImages.listDesignImages>;

/** A design's first images, or those of a later page. */
export async function preloadImages(convex: RequestConvex, designId: string, after: string | null): Promise<Preload<Answer>> {
  if (after === null) return convex.preload(api.designImages.getDesignImagesByDesignId, { designId });
  const pageAfter = (cursor: string | null) =>
    convex.preload(api.designImages.listDesignImages, { designId, paginationOpts: { numItems: PAGE_SIZE, cursor } });
  const cursor = after === RIGHT_AFTER_FIRST ? (await pageAfter(null)).value.continueCursor : after;
  return pageAfter(cursor);
}

/** The images of an answer, and what leads to those after them; null: there are none. */
export function imagesPage(answer: Answer): { images: DesignImage[]; next: string | null } {
  if (Array.isArray(answer)) return { images: answer, next: answer.length < PAGE_SIZE ? null : RIGHT_AFTER_FIRST };
  return { images: answer.page, next: answer.isDone ? null : answer.continueCursor };
}

import type { Doc } from "../../_generated/dataModel";
import { type CallerCtx, ifVisible, projectFor } from "../access";
import { isOpen } from "./transfers";

const OFFERS_MAX = 50;

export async function openOffers(ctx: CallerCtx): Promise<{ transfer: Doc<"transfers">; project: Doc<"projects"> }[]> {
  const rows = await ctx.db
    .query("transfers")
    .withIndex("by_recipient", (q) => q.eq("toId", ctx.user.id).eq("state", "offered"))
    .take(OFFERS_MAX);
  const found = rows.filter(isOpen).map(async (transfer) => {
    const project = await ifVisible(projectFor(ctx, transfer.projectId, "view"));
    return project && { transfer, project };
  });
  return (await Promise.all(found)).filter((each) => each !== null);
}

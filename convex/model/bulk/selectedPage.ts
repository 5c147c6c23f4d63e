import type { Doc, Id } from "../../_generated/dataModel";
import { type CallerCtx, designFor, projectFor } from "../access";
import { notFound } from "../errors";
import { type ManualPosition, positionOf, rowsAfter } from "../lists/manualPage";
import { designsOf, designsWith, imagesOf, imagesWith, type List } from "../lists/order";
import { wasCreatedBy } from "../wasCreatedBy";
import type { BulkContainer, BulkSelection } from "./bulkTables";

type Item = Doc<"designs"> | Doc<"designImages">;
type SelectedPage = { ids: string[]; cursor: string | null };

const DESIGNS_PER_PAGE = 40;

/** `after` is the last row read. For images of a project, it is the last design, and `within` is the position in that design. */
type Position = { after: ManualPosition | null; within: { design: string; after: ManualPosition | null } | null };

/** Returns a page of a selection in manual order and the next cursor. Checks access to the container, not to `ids`. Throws "not_found". */
export async function selectedPage(ctx: CallerCtx, selection: BulkSelection, cursor: string | null, size: number): Promise<SelectedPage> {
  const { kind, place: container, ids } = selection;
  if (!container) {
    const from = Number(cursor ?? 0);
    return { ids: ids.slice(from, from + size), cursor: from + size < ids.length ? String(from + size) : null };
  }
  const at = positionIn(cursor);
  if (kind === "image" && container.kind === "project") return imagesOfProject(ctx, selection, container.id, at, size);
  if ((kind === "image") !== (container.kind === "design")) throw notFound();
  const rows =
    kind === "image"
      ? await rowsAfter(imagesIn(ctx, (await designFor(ctx, container.id, "view")).design._id, container), at.after, size)
      : await rowsAfter(designsIn(ctx, (await projectFor(ctx, container.id, "view"))._id, container), at.after, size);
  const last = rows.length < size ? undefined : rows.at(-1);
  return { ids: chosenOf(rows, selection), cursor: last ? JSON.stringify({ after: positionOf(last), within: null }) : null };
}

export async function expectContainer(ctx: CallerCtx, { kind, id }: BulkContainer): Promise<true> {
  await (kind === "design" ? designFor(ctx, id, "view") : projectFor(ctx, id, "view"));
  return true;
}

const imagesIn = (ctx: CallerCtx, id: Id<"designs">, container: BulkContainer | undefined): List<Doc<"designImages">> =>
  container?.review === undefined ? imagesOf(ctx, id) : imagesWith(ctx, id, container.review);

const designsIn = (ctx: CallerCtx, id: Id<"projects">, { review }: BulkContainer): List<Doc<"designs">> =>
  review === undefined ? designsOf(ctx, id) : designsWith(ctx, id, review);

function chosenOf(rows: Item[], { ids, until }: BulkSelection): string[] {
  const excluded = new Set(ids);
  return rows.filter((row) => wasCreatedBy(row, until) && !excluded.has(row._id)).map(({ _id }) => _id);
}

async function imagesOfProject(
  ctx: CallerCtx,
  selection: BulkSelection,
  projectId: string,
  start: Position,
  size: number,
): Promise<SelectedPage> {
  const project = await projectFor(ctx, projectId, "view");
  const ids: string[] = [];
  let { after, within } = start;
  let remaining = size;
  for (let count = 0; count < DESIGNS_PER_PAGE && remaining > 0; count++) {
    if (within === null) {
      const [next] = await rowsAfter(designsOf(ctx, project._id), after, 1);
      if (!next) return { ids, cursor: null };
      after = positionOf(next);
      within = { design: next._id, after: null };
    }
    const designId = ctx.db.normalizeId("designs", within.design);
    const design = designId && (await ctx.db.get(designId));
    const isHere = design && design.removedAt === undefined && design.projectId === project._id;
    const rows: Doc<"designImages">[] = isHere ? await rowsAfter(imagesIn(ctx, design._id, selection.place), within.after, remaining) : [];
    ids.push(...chosenOf(rows, selection));
    const last = rows.length < remaining ? undefined : rows.at(-1);
    remaining -= rows.length;
    within = last ? { ...within, after: positionOf(last) } : null;
  }
  return { ids, cursor: JSON.stringify({ after, within }) };
}

/** Parses a cursor without validation: a forged one only selects another position in the container. */
function positionIn(cursor: string | null): Position {
  const position: unknown = cursor === null ? null : JSON.parse(cursor);
  return isPosition(position) ? position : { after: null, within: null };
}

const isPosition = (value: unknown): value is Position =>
  typeof value === "object" && value !== null && "after" in value && "within" in value;

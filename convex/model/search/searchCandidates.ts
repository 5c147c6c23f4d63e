import type { IndexRange } from "convex/server";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import { memo } from "../memo";
import type { SearchQuery } from "./searchQuery";

/** Reads from the most selective index: tag, words, or else time and type. `mark` is the position after which a later page continues. */

export type Kind = "project" | "design" | "image";
type Rows = { project: Doc<"projects">; design: Doc<"designs">; image: Doc<"designImages"> };
export type Candidate<Each extends Kind> = { row: Rows[Each]; mark: Mark };
type Mark = number | string;

export type CandidateSearch<Each extends Kind = Kind> = {
  kind: Each;
  /** Owner of the rows, not the caller. */
  ownerId: string;
  query: SearchQuery | null;
  isNear: boolean;
  tagId: Id<"tags"> | null;
  type: string | undefined;
  from: number;
  to: number;
  after: number | null;
};

type Db = QueryCtx["db"];

export function searchCandidates<Each extends Kind>(ctx: QueryCtx, search: CandidateSearch<Each>): AsyncIterable<Candidate<Each>>;
export function searchCandidates({ db }: QueryCtx, search: CandidateSearch): AsyncIterable<Candidate<Kind>> {
  const { query, isNear, tagId } = search;
  if (tagId !== null) return tagged(db, search, tagId);
  if (query !== null) return (isNear ? near : exact)(db, search, query);
  return withAgeMark(dated(db, search));
}

async function* tagged(db: Db, { kind, after }: CandidateSearch, tagId: Id<"tags">): AsyncGenerator<Candidate<Kind>> {
  if (kind === "project") return;
  const taggings = db
    .query("taggings")
    .withIndex("by_tag", (q) =>
      q
        .eq("tagId", tagId)
        .eq("kind", kind)
        .lt("_creationTime", after ?? Infinity),
    )
    .order("desc");
  for await (const { thing, _creationTime } of taggings) {
    const row = await db.get(thing);
    if (row) yield { row, mark: _creationTime };
  }
}

function rowsWithTerms(db: Db, { kind, ownerId, type }: CandidateSearch, terms: string) {
  switch (kind) {
    case "project":
      return db
        .query("projects")
        .withSearchIndex("by_words", (q) => q.search("words", terms).eq("ownerId", ownerId).eq("removedAt", undefined));
    case "design":
      return db
        .query("designs")
        .withSearchIndex("by_words", (q) => q.search("words", terms).eq("ownerId", ownerId).eq("removedAt", undefined));
    case "image":
      return db.query("designImages").withSearchIndex("by_words", (q) => {
        const own = q.search("words", terms).eq("ownerId", ownerId).eq("removedAt", undefined);
        return type ? own.eq("contentType", type) : own;
      });
  }
}

type TimeRange = IndexRange & {
  gte(field: "_creationTime", value: number): IndexRange & { lt(field: "_creationTime", value: number): IndexRange };
};

function dated(db: Db, { kind, ownerId, type, from, to, after }: CandidateSearch): AsyncIterable<Rows[Kind]> {
  const inTime = (range: TimeRange) => range.gte("_creationTime", from).lt("_creationTime", Math.min(to, after ?? Infinity));
  const present = <End>(range: { eq(field: "purgingSince", is: undefined): { eq(field: "removedAt", is: undefined): End } }): End =>
    range.eq("purgingSince", undefined).eq("removedAt", undefined);
  switch (kind) {
    case "project":
      return db
        .query("projects")
        .withIndex("by_trash", (q) => inTime(present(q.eq("ownerId", ownerId))))
        .order("desc");
    case "design":
      return db
        .query("designs")
        .withIndex("by_trash", (q) => inTime(present(q.eq("ownerId", ownerId))))
        .order("desc");
    case "image":
      return (
        type
          ? db
              .query("designImages")
              .withIndex("by_type", (q) => inTime(q.eq("ownerId", ownerId).eq("removedAt", undefined).eq("contentType", type)))
          : db.query("designImages").withIndex("by_trash", (q) => inTime(present(q.eq("ownerId", ownerId))))
      ).order("desc");
  }
}

/** Convex throws when a query reads more text search results (https://docs.convex.dev/search/text-search). */
const MAX_SEARCH_RESULTS = 1024;

const MAX_FUZZY_CANDIDATES = 256;

/** Returns whether a mark belongs to the near matches, which follow the exact ones. Marks are counts, because relevance has no key. */
export const isNearMark = (mark: number | null): boolean => mark !== null && mark > MAX_SEARCH_RESULTS;

async function* exact(db: Db, search: CandidateSearch, query: SearchQuery): AsyncGenerator<Candidate<Kind>> {
  const start = search.after ?? 0;
  let mark = 0;
  const seen = new Set<string>();
  for (const terms of query.exact) {
    for await (const row of rowsWithTerms(db, search, terms)) {
      if (seen.has(row._id)) continue;
      seen.add(row._id);
      if (++mark > start && (!query.isWide || query.fits(row))) yield { row, mark };
      if (mark === MAX_SEARCH_RESULTS) return;
    }
  }
}

async function* near(db: Db, search: CandidateSearch, query: SearchQuery): AsyncGenerator<Candidate<Kind>> {
  if (query.trigrams === "") return;
  const rows = (await rowsWithTerms(db, search, query.trigrams).take(MAX_FUZZY_CANDIDATES)).flatMap((row: Rows[Kind]) => {
    const distance = query.distanceTo(row);
    return distance === null ? [] : [{ row, distance }];
  });
  const start = search.after ?? 0;
  let mark = MAX_SEARCH_RESULTS;
  for (const { row } of rows.toSorted((one, other) => one.distance - other.distance)) if (++mark > start) yield { row, mark };
}

/** Searches one project for members. Marks count only its rows, to reveal nothing about other projects. The caller filters by tags. */
export function candidatesInProject<Each extends Kind>(
  ctx: QueryCtx,
  project: Doc<"projects">,
  search: CandidateSearch<Each>,
  after: string | undefined,
): AsyncIterable<Candidate<Each>>;
export async function* candidatesInProject(
  ctx: QueryCtx,
  { _id: projectId }: Doc<"projects">,
  search: CandidateSearch,
  after: string | undefined,
): AsyncGenerator<Candidate<Kind>> {
  const { kind, query, isNear } = search;
  if (kind === "project") return;
  if (query === null) {
    yield* kind === "design" ? designsInProject(ctx, projectId, after) : imagesInProject(ctx, projectId, after);
    return;
  }
  const projectOfDesign = memo(async (id) => {
    const designId = ctx.db.normalizeId("designs", id);
    return designId && (await ctx.db.get(designId))?.projectId;
  });
  const from = offsetOf(after) ?? 0;
  let mark = isNear ? MAX_SEARCH_RESULTS : 0;
  for await (const { row } of searchCandidates<"design" | "image">(ctx, { ...search, kind, tagId: null, after: null })) {
    const isInside = ("projectId" in row ? row.projectId : await projectOfDesign(row.designId)) === projectId;
    if (isInside && ++mark > from) yield { row, mark };
  }
}

const FOREIGN_ROWS_MAX = 1000;

/** Searches shared projects. Marks count only their rows, as in `candidatesInProject`. The caller filters by tags. */
export function candidatesShared<Each extends Kind>(
  ctx: QueryCtx,
  projects: Doc<"projects">[],
  search: CandidateSearch<Each>,
  after: number,
): AsyncIterable<Candidate<Each>>;
export async function* candidatesShared(
  ctx: QueryCtx,
  projects: Doc<"projects">[],
  search: CandidateSearch,
  after: number,
): AsyncGenerator<Candidate<Kind>> {
  let mark = search.isNear ? MAX_SEARCH_RESULTS : 0;
  for await (const row of rowsShared(ctx, projects, search)) if (++mark > after) yield { row, mark };
}

async function* rowsShared(ctx: QueryCtx, projects: Doc<"projects">[], search: CandidateSearch): AsyncGenerator<Rows[Kind]> {
  const { kind, query, isNear } = search;
  if (kind === "project") {
    for (const project of projects)
      if (query === null || (isNear ? query.distanceTo(project) !== null : query.fits(project))) yield project;
    return;
  }
  const ofProject = { ...search, kind, tagId: null, after: null };
  if (query === null) {
    for (const project of projects) for await (const { row } of candidatesInProject(ctx, project, ofProject, undefined)) yield row;
    return;
  }
  const ids = new Set(projects.map(({ _id }) => _id));
  const projectOfDesign = memo(async (id) => {
    const designId = ctx.db.normalizeId("designs", id);
    return designId && (await ctx.db.get(designId))?.projectId;
  });
  let foreign = 0;
  for (const ownerId of new Set(projects.map((project) => project.ownerId)))
    for await (const { row } of searchCandidates<"design" | "image">(ctx, { ...ofProject, ownerId })) {
      const projectId = "projectId" in row ? row.projectId : await projectOfDesign(row.designId);
      if (projectId && ids.has(projectId)) yield row;
      else if (++foreign === FOREIGN_ROWS_MAX) return;
    }
}

async function* designsInProject(
  { db }: QueryCtx,
  projectId: Id<"projects">,
  after: string | undefined,
): AsyncGenerator<Candidate<"design">> {
  const designs = db
    .query("designs")
    .withIndex("by_creation", (q) =>
      q
        .eq("projectId", projectId)
        .eq("removedAt", undefined)
        .lt("_creationTime", offsetOf(after) ?? Infinity),
    )
    .order("desc");
  for await (const row of designs) yield { row, mark: row._creationTime };
}

/** Yields images, first of designs with the newest images. A mark has the time of the newest image, the design, and the image's time. */
async function* imagesInProject(
  { db }: QueryCtx,
  projectId: Id<"projects">,
  after: string | undefined,
): AsyncGenerator<Candidate<"image">> {
  const [newest, designId, time] = after?.split(" ") ?? [];
  const [at, age] = [offsetOf(newest), offsetOf(time)];
  const start = at === null || age === null ? null : { at, designId, age };
  const designs = db
    .query("designs")
    .withIndex("by_latest_image", (q) => {
      const range = q.eq("projectId", projectId).eq("removedAt", undefined).gt("latestImageAt", 0);
      return start ? range.lte("latestImageAt", start.at) : range;
    })
    .order("desc");
  for await (const { _id, latestImageAt } of designs) {
    const isStart = start !== null && latestImageAt === start.at;
    if (isStart && _id !== start.designId) continue;
    const images = db
      .query("designImages")
      .withIndex("by_design", (q) =>
        q
          .eq("designId", _id)
          .eq("removedAt", undefined)
          .lt("_creationTime", isStart ? start.age : Infinity),
      )
      .order("desc");
    for await (const row of images) yield { row, mark: `${latestImageAt} ${_id} ${row._creationTime}` };
  }
}

export function offsetOf(cursor: string | undefined): number | null {
  const offset = Number(cursor);
  return cursor !== undefined && Number.isFinite(offset) && offset >= 0 ? offset : null;
}

async function* withAgeMark(rows: AsyncIterable<Rows[Kind]>): AsyncGenerator<Candidate<Kind>> {
  for await (const row of rows) yield { row, mark: row._creationTime };
}

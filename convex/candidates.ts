import type { IndexRange } from "convex/server";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

/**
 * The rows in which a search looks, from the index that leaves out most: all that has the tag, what has the words, or else the newest of those
 * of the time and the type. Each comes with its mark, the place in its list from which a later page goes on.
 */

export type Kind = "project" | "design" | "image";
type Rows = { project: Doc<"projects">; design: Doc<"designs">; image: Doc<"designImages"> };
export type Candidate<Each extends Kind> = { row: Rows[Each]; mark: number };

export type Asked = {
  /** "": none are asked for. */
  words: string;
  tagId: Id<"tags"> | null;
  /** Of pictures alone. */
  type: string | undefined;
  from: number;
  to: number;
};

type Ctx = QueryCtx & { user: { id: string } };

export function candidates<Each extends Kind>(ctx: Ctx, kind: Each, asked: Asked, after: number | null): AsyncIterable<Candidate<Each>>;
export function candidates(ctx: Ctx, kind: Kind, asked: Asked, after: number | null): AsyncIterable<Candidate<Kind>> {
  if (asked.tagId !== null) return tagged(ctx, kind, asked.tagId, after);
  if (asked.words !== "") return numbered(worded(ctx, kind, asked), after ?? 0);
  return aged(dated(ctx, kind, asked, after));
}

/** Last tagged first; the mark is when. */
async function* tagged({ db }: Ctx, kind: Kind, tagId: Id<"tags">, after: number | null): AsyncGenerator<Candidate<Kind>> {
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

/** The nearest first; at most as many as a search index answers (1,024). */
function worded({ db, user }: Ctx, kind: Kind, { words, type }: Asked): AsyncIterable<Rows[Kind]> {
  switch (kind) {
    case "project":
      return db
        .query("projects")
        .withSearchIndex("by_words", (q) => q.search("words", words).eq("ownerId", user.id).eq("removedAt", undefined));
    case "design":
      return db
        .query("designs")
        .withSearchIndex("by_words", (q) => q.search("words", words).eq("ownerId", user.id).eq("removedAt", undefined));
    case "image":
      return db.query("designImages").withSearchIndex("by_words", (q) => {
        const own = q.search("words", words).eq("ownerId", user.id).eq("removedAt", undefined);
        return type ? own.eq("contentType", type) : own;
      });
  }
}

/** Convex's builder of an index range, where all but the time is said. */
type TimeRange = IndexRange & {
  gte(field: "_creationTime", value: number): IndexRange & { lt(field: "_creationTime", value: number): IndexRange };
};

/** Those that are not in the trash, the newest first. */
function dated({ db, user }: Ctx, kind: Kind, { type, from, to }: Asked, after: number | null): AsyncIterable<Rows[Kind]> {
  const inTime = (range: TimeRange) => range.gte("_creationTime", from).lt("_creationTime", Math.min(to, after ?? Infinity));
  /** None in the trash, and none on its way out of it. */
  const present = <End>(range: { eq(field: "purgingSince", is: undefined): { eq(field: "removedAt", is: undefined): End } }): End =>
    range.eq("purgingSince", undefined).eq("removedAt", undefined);
  switch (kind) {
    case "project":
      return db
        .query("projects")
        .withIndex("by_trash", (q) => inTime(present(q.eq("ownerId", user.id))))
        .order("desc");
    case "design":
      return db
        .query("designs")
        .withIndex("by_trash", (q) => inTime(present(q.eq("ownerId", user.id))))
        .order("desc");
    case "image":
      return (
        type
          ? db
              .query("designImages")
              .withIndex("by_type", (q) => inTime(q.eq("ownerId", user.id).eq("removedAt", undefined).eq("contentType", type)))
          : db.query("designImages").withIndex("by_trash", (q) => inTime(present(q.eq("ownerId", user.id))))
      ).order("desc");
  }
}

/** The mark is how many came before the next one: relevance has no other measure. */
async function* numbered(rows: AsyncIterable<Rows[Kind]>, from: number): AsyncGenerator<Candidate<Kind>> {
  let mark = 0;
  for await (const row of rows) if (++mark > from) yield { row, mark };
}

async function* aged(rows: AsyncIterable<Rows[Kind]>): AsyncGenerator<Candidate<Kind>> {
  for await (const row of rows) yield { row, mark: row._creationTime };
}

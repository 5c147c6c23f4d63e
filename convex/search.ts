import { type Infer, v } from "convex/values";
import { designFor, ifVisible, projectFor, userQuery } from "./access";
import { candidates, type Asked, type Candidate, type Kind } from "./candidates";
import { tagKey, wordsOf } from "./rules";
import { coverShape, designImageShape, toDesign, toDesignImage, toProject } from "./shapes";
import { tagOf } from "./tagging";
import { hasAnyWord, searchWords } from "./words";

/** How many of each kind are found at once, and of one kind alone. */
export const FOUND_LIMIT = 20;
export const FOUND_PAGE = 50;

/** How many rows of a kind are looked at for one answer: some may be in something that was removed, or have not all that is asked for. */
export const SEEN_LIMIT = 1000;

/** How much of a description is told. */
const TOLD = 200;

const kind = v.union(v.literal("project"), v.literal("design"), v.literal("image"));
const foundProject = v.object({ _id: v.id("projects"), name: v.string(), cover: v.array(coverShape), description: v.string() });
const foundDesign = v.object({
  _id: v.id("designs"),
  name: v.string(),
  cover: v.array(coverShape),
  projectName: v.string(),
  description: v.string(),
});
const foundImage = v.object({ ...designImageShape.fields, designName: v.string(), projectName: v.string() });
const foundShape = v.object({
  projects: v.array(foundProject),
  designs: v.array(foundDesign),
  images: v.array(foundImage),
  /** Of which kinds there may be more than are told here. */
  more: v.array(kind),
  /** Where the next page of the one kind that was asked for begins; null: there is none. */
  next: v.union(v.string(), v.null()),
});
export type Found = Infer<typeof foundShape>;

const NOTHING: Found = { projects: [], designs: [], images: [], more: [], next: null };

/**
 * What of the caller's has any of these words in its name, description, caption or tags, the nearest first and the last word perhaps only begun;
 * and what has this tag, is of this kind or type of picture, and was added within this time (milliseconds, `to` no longer in it). All that is
 * asked for holds; without words the newest come first; where nothing is asked for nothing is found.
 *
 * At most `FOUND_LIMIT` of each kind; of one `kind` alone `FOUND_PAGE`, page by page (`after` is the `next` of the page before). The indexes answer
 * with the caller's own rows; whether each may be seen is the access rule's to say, here as everywhere, so that nothing is found that is
 * removed, or in something that is.
 */
export const find = userQuery({
  args: {
    text: v.string(),
    tag: v.optional(v.string()),
    kind: v.optional(kind),
    type: v.optional(v.string()),
    from: v.optional(v.number()),
    to: v.optional(v.number()),
    after: v.optional(v.string()),
  },
  returns: foundShape,
  handler: async (ctx, { text, tag, kind: only, type, from = 0, to = Infinity, after }): Promise<Found> => {
    const words = wordsOf(text);
    // A search by nothing that can be found is no wish to see everything.
    if (words === "" && text.trim() !== "") return NOTHING;
    if (words === "" && !tag && !only && !type && from === 0 && to === Infinity) return NOTHING;
    const carried = tag ? await tagOf(ctx, ctx.user.id, tagKey(tag)) : null;
    if (tag && !carried) return NOTHING;

    const asked: Asked = { words, tagId: carried?._id ?? null, type, from, to };
    const start = only === undefined ? null : placeOf(after);
    const most = only === undefined ? FOUND_LIMIT : FOUND_PAGE;
    const isAsked = (each: Kind) => (only === undefined || only === each) && (each === "image" || !type) && (each !== "project" || !tag);
    /** The first `most` rows that may be seen and have all that is asked for, as `look` tells them. */
    async function those<Each extends Kind, Item>(each: Each, look: (row: Candidate<Each>["row"]) => Promise<Item | null>) {
      const items: Item[] = [];
      if (!isAsked(each)) return { items, next: null };
      let seen = 0;
      let end: number | null = null;
      for await (const { row, mark } of candidates(ctx, each, asked, start)) {
        const item = fits(row, asked) ? await look(row) : null;
        if (item !== null && items.length === most) return { items, next: end };
        if (item !== null) items.push(item);
        // Past a full page only to know whether there is another.
        if (items.length < most || item !== null) end = mark;
        if (++seen === SEEN_LIMIT) return { items, next: end };
      }
      return { items, next: null };
    }

    const projectOf = memo((id: string) => ifVisible(projectFor(ctx, id, "view")));
    const designOf = memo((id: string) => ifVisible(designFor(ctx, id, "view")));
    const projects = await those("project", async ({ _id }) => {
      const row = await projectOf(_id);
      if (!row) return null;
      const { name, cover, description } = toProject(row);
      return { _id, name, cover, description: description.slice(0, TOLD) };
    });
    const designs = await those("design", async (row) => {
      const project = await projectOf(row.projectId);
      if (!project) return null;
      const { _id, name, cover, description } = toDesign(row);
      return { _id, name, cover, description: description.slice(0, TOLD), projectName: project.name };
    });
    const images = await those("image", async (row) => {
      const place = await designOf(row.designId);
      return place && { ...toDesignImage(row), designName: place.design.name, projectName: place.project.name };
    });
    const found = { project: projects, design: designs, image: images };
    const next = only === undefined ? null : found[only].next;
    return {
      projects: projects.items,
      designs: designs.items,
      images: images.items,
      more: KINDS.filter((each) => found[each].next !== null),
      next: next === null ? null : String(next),
    };
  },
});

const KINDS = ["project", "design", "image"] as const satisfies Kind[];

/** What the index that answered has not looked at. */
function fits(row: Candidate<Kind>["row"], { words, tagId, type, from, to }: Asked): boolean {
  if (row.removedAt !== undefined || row._creationTime < from || row._creationTime >= to) return false;
  if (type && "contentType" in row && row.contentType !== type) return false;
  return words === "" || tagId === null || hasAnyWord(searchWords(row), words);
}

/** What somebody else makes up leads nowhere but to another place of the same list. */
function placeOf(cursor: string | undefined): number | null {
  const place = Number(cursor);
  return cursor !== undefined && Number.isFinite(place) && place >= 0 ? place : null;
}

/** Asks once for each. */
function memo<Result>(ask: (id: string) => Promise<Result>): (id: string) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return (id) => {
    const answer = known.get(id) ?? ask(id);
    known.set(id, answer);
    return answer;
  };
}

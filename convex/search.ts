import { type Infer, v } from "convex/values";
import { designFor, ifVisible, projectFor, userQuery } from "./model/access";
import { sharedProjects } from "./model/items/sharedProjects";
import { cutText } from "./model/cutText";
import { memo } from "./model/memo";
import {
  candidatesInProject,
  candidatesShared,
  isNearMark,
  offsetOf,
  searchCandidates,
  type Candidate,
  type CandidateSearch,
  type Kind,
} from "./model/search/searchCandidates";
import { colour, hasAppearance, type Appearance, orientation, pixelSize } from "./model/search/imageAppearance";
import { reviewFilter } from "./model/review/reviewTables";
import { tagKey } from "./model/rules";
import { type SearchQuery, searchQuery } from "./model/search/searchQuery";
import { coverShape, designImageShape, toDesign, toDesignImage, toProject } from "./model/shapes";
import { tagOf } from "./model/tags/tagging";
import { areUpgraded, type UpgradedTable } from "./model/upgrades";

/** Results per kind; `FOUND_PAGE` if only one kind is searched. */
export const FOUND_LIMIT = 20;
export const FOUND_PAGE = 50;

/** Rows read per kind for one response: some may be hidden or fail a filter. */
export const SEEN_LIMIT = 1000;

const DESCRIPTION_LENGTH = 200;

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
  more: v.array(kind),
  next: v.union(v.string(), v.null()),
});
export type Found = Infer<typeof foundShape>;

const NOTHING: Found = { projects: [], designs: [], images: [], more: [], next: null };

// Words, tag, image type and time have indexes. The other filters are checked in the `SEEN_LIMIT` rows of a response. `to` is exclusive.
// Sorts by relevance, or newest first without words. Searches for infixes and typing errors, which cost more, only without an exact match.
// The access rule checks each row, so contents of trashed items are never found.
export const find = userQuery({
  args: {
    text: v.string(),
    tag: v.optional(v.string()),
    kind: v.optional(kind),
    type: v.optional(v.string()),
    from: v.optional(v.number()),
    to: v.optional(v.number()),
    project: v.optional(v.string()),
    orientation: v.optional(orientation),
    size: v.optional(pixelSize),
    colour: v.optional(colour),
    /** Finds designs and images only. */
    review: v.optional(reviewFilter),
    after: v.optional(v.string()),
    editable: v.optional(v.literal(true)),
  },
  returns: foundShape,
  handler: async (ctx, args): Promise<Found> => {
    const {
      text,
      tag,
      kind: only,
      type,
      from = 0,
      to = Infinity,
      project: projectId,
      after,
      editable: isEditable,
      review,
      ...appearance
    } = args;
    const words = searchQuery(text, false);
    const isWorded = words !== null;
    // Text without a searchable word finds nothing instead of everything.
    if (!isWorded && text.trim() !== "") return NOTHING;
    const isOfImages = Boolean(type) || Object.values(appearance).some((value) => value !== undefined);
    if (!isWorded && !tag && !only && !isOfImages && !projectId && review === undefined && from === 0 && to === Infinity) return NOTHING;
    // The indexes of tags and words use the owner's id, also for a shared project.
    const projectOf = memo((id: string) => ifVisible(projectFor(ctx, id, "view")));
    const within = projectId ? await projectOf(projectId) : null;
    if (projectId && !within) return NOTHING;
    const ownerId = within?.ownerId ?? ctx.user.id;
    const carried = tag ? await tagOf(ctx, ownerId, tagKey(tag)) : null;
    const others = within ? [] : await sharedProjects(ctx, isEditable ? "edit" : "view", SHARED_MAX);
    if (tag && !carried && others.length === 0) return NOTHING;

    // Shared items come after the caller's own. Their cursors begin with "s".
    const afterShared = only === undefined || !after?.startsWith("s") ? null : offsetOf(after.slice(1));
    const start = only === undefined ? null : (afterShared ?? offsetOf(after));
    const shared = within && within.ownerId !== ctx.user.id ? within : null;
    const candidatesOf = <Each extends Kind>(search: CandidateSearch<Each>) =>
      shared ? candidatesInProject(ctx, shared, search, only === undefined ? undefined : after) : searchCandidates(ctx, search);
    const hasTag = (row: Candidate<Kind>["row"], isShared: boolean) =>
      !tag || !isShared || ("tags" in row && (row.tags ?? []).some((each) => tagKey(each) === tagKey(tag)));
    const isReviewed = (row: Candidate<Kind>["row"]) =>
      review === undefined || (("review" in row ? row.review?.status : undefined) ?? "none") === review;
    const most = only === undefined ? FOUND_LIMIT : FOUND_PAGE;
    const isAsked = (each: Kind) =>
      (only === undefined || only === each) &&
      (each === "image" || !isOfImages) &&
      (each !== "project" || !(tag || projectId || review !== undefined));
    async function foundOf<Each extends Kind, Item>(
      each: Each,
      query: SearchQuery | null,
      isNear: boolean,
      toResult: (row: Candidate<Each>["row"]) => Promise<Item | null>,
    ) {
      const items: Item[] = [];
      if (!isAsked(each)) return { items, next: null };
      const search: CandidateSearch<Each> = {
        kind: each,
        ownerId,
        query,
        isNear,
        tagId: carried?._id ?? null,
        type,
        from,
        to,
        after: start,
      };
      async function add(
        candidates: AsyncIterable<Candidate<Each>>,
        isShared: boolean,
        begin: number | string | null,
      ): Promise<number | string | null> {
        let seen = 0;
        let end = begin;
        for await (const { row, mark } of candidates) {
          const item =
            fits(row, search) && hasTag(row, isShared) && fitsAppearance(row, appearance) && isReviewed(row) ? await toResult(row) : null;
          if (item !== null && items.length === most) return end;
          if (item !== null) items.push(item);
          if (items.length < most || item !== null) end = mark;
          if (++seen === SEEN_LIMIT) return end;
        }
        return null;
      }
      const ofOwn = afterShared === null && (!tag || carried) ? await add(candidatesOf(search), shared !== null, null) : null;
      if (ofOwn !== null || others.length === 0) return { items, next: ofOwn };
      const begin = afterShared ?? 0;
      const next = await add(candidatesShared(ctx, others, { ...search, tagId: null }, begin), true, begin);
      return { items, next: next === null ? null : `s${next}` };
    }

    const designOf = memo((id: string) => ifVisible(designFor(ctx, id, "view")));
    const isInProject = (id: string) => !projectId || id === projectId;
    const everything = async (query: SearchQuery | null, isNear: boolean) => {
      const [project, design, image] = await Promise.all([projects(query, isNear), designs(query, isNear), images(query, isNear)]);
      return { project, design, image };
    };
    const projects = (query: SearchQuery | null, isNear: boolean) =>
      foundOf("project", query, isNear, async ({ _id }) => {
        const row = await projectOf(_id);
        if (!row) return null;
        const { name, cover, description } = toProject(row);
        return { _id, name, cover, description: cutText(description, DESCRIPTION_LENGTH) };
      });
    const designs = (query: SearchQuery | null, isNear: boolean) =>
      foundOf("design", query, isNear, async (row) => {
        const project = isInProject(row.projectId) ? await projectOf(row.projectId) : null;
        if (!project) return null;
        const { _id, name, cover, description } = toDesign(row);
        return { _id, name, cover, description: cutText(description, DESCRIPTION_LENGTH), projectName: project.name };
      });
    const images = (query: SearchQuery | null, isNear: boolean) =>
      foundOf("image", query, isNear, async (row) => {
        const path = await designOf(row.designId);
        if (!path || !isInProject(path.project._id)) return null;
        return { ...toDesignImage(row), designName: path.design.name, projectName: path.project.name };
      });
    const upgraded = isWorded ? areUpgraded(ctx, Object.values(TABLES)) : true;
    let query = words;
    let found = await everything(query, isNearMark(start));
    if (!(await upgraded)) found = await everything((query = searchQuery(text, true)), isNearMark(start));
    const isEmpty = KINDS.every((each) => found[each].items.length === 0);
    if (isEmpty && isWorded && !tag && start === null) found = await everything(query, true);
    const next = only === undefined ? null : found[only].next;
    return {
      projects: found.project.items,
      designs: found.design.items,
      images: found.image.items,
      more: KINDS.filter((each) => found[each].next !== null),
      next: next === null ? null : String(next),
    };
  },
});

const SHARED_MAX = 100;

const TABLES = { project: "projects", design: "designs", image: "designImages" } as const satisfies Record<Kind, UpgradedTable>;
const KINDS = ["project", "design", "image"] as const satisfies Kind[];

function fits(row: Candidate<Kind>["row"], { query, tagId, type, from, to }: CandidateSearch): boolean {
  if (row.removedAt !== undefined || row._creationTime < from || row._creationTime >= to) return false;
  if (type && "contentType" in row && row.contentType !== type) return false;
  return query === null || tagId === null || query.fits(row);
}

const fitsAppearance = (row: Candidate<Kind>["row"], appearance: Appearance): boolean =>
  !("contentType" in row) || hasAppearance(row, appearance);

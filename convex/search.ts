import { type Infer, v } from "convex/values";
import { designFor, ifVisible, imageFor, projectFor, userQuery } from "./access";
import { wordsOf } from "./rules";
import { coverShape, designImageShape, toDesign, toDesignImage, toProject } from "./shapes";

/** How many of each kind are found. */
export const FOUND_LIMIT = 20;

/** How many rows of each kind are looked at: some of them may be in a design or a project that was removed. */
const SEEN_LIMIT = 60;

const foundProject = v.object({ _id: v.id("projects"), name: v.string(), cover: v.array(coverShape) });
const foundDesign = v.object({ _id: v.id("designs"), name: v.string(), cover: v.array(coverShape), projectName: v.string() });
const foundImage = v.object({ ...designImageShape.fields, designName: v.string(), projectName: v.string() });
const foundShape = v.object({ projects: v.array(foundProject), designs: v.array(foundDesign), images: v.array(foundImage) });
export type Found = Infer<typeof foundShape>;

/**
 * What of the caller's has any of these words in its name, the nearest first and the last word perhaps only begun; at most `FOUND_LIMIT` of
 * each kind. The index answers with the caller's own rows; whether each may be seen is the access rule's to say, here as everywhere, so that
 * nothing is found that is removed, or in something that is. Without a word, nothing.
 */
export const find = userQuery({
  args: { text: v.string() },
  returns: foundShape,
  handler: async (ctx, { text }): Promise<Found> => {
    const words = wordsOf(text);
    if (words === "") return { projects: [], designs: [], images: [] };
    const { db, user } = ctx;

    const projects = db
      .query("projects")
      .withSearchIndex("by_name", (q) => q.search("name", words).eq("ownerId", user.id).eq("removedAt", undefined))
      .take(FOUND_LIMIT);
    const designs = db
      .query("designs")
      .withSearchIndex("by_name", (q) => q.search("name", words).eq("ownerId", user.id).eq("removedAt", undefined))
      .take(SEEN_LIMIT);
    const images = db
      .query("designImages")
      .withSearchIndex("by_name", (q) => q.search("name", words).eq("ownerId", user.id).eq("removedAt", undefined))
      .take(SEEN_LIMIT);

    return {
      projects: await visible(await projects, async ({ _id }) => {
        const { name, cover } = toProject(await projectFor(ctx, _id, "view"));
        return { _id, name, cover };
      }),
      designs: await visible(await designs, async ({ _id }) => {
        const { design, project } = await designFor(ctx, _id, "view");
        const { name, cover } = toDesign(design);
        return { _id, name, cover, projectName: project.name };
      }),
      images: await visible(await images, async ({ _id }) => {
        const { image, design, project } = await imageFor(ctx, _id, "view");
        return { ...toDesignImage(image), designName: design.name, projectName: project.name };
      }),
    };
  },
});

/** The first `FOUND_LIMIT` of what is seen by looking at each row. */
async function visible<Row, Result>(rows: Row[], look: (row: Row) => Promise<Result>): Promise<Result[]> {
  const seen: Result[] = [];
  for (const row of rows) {
    const result = await ifVisible(look(row));
    if (result !== null) seen.push(result);
    if (seen.length === FOUND_LIMIT) break;
  }
  return seen;
}

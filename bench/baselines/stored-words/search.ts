import { v } from "convex/values";
import { designFor, ifVisible, projectFor, userQuery } from "../../../convex/model/access";
import { toDesign, toDesignImage, toProject } from "../../../convex/model/shapes";

const FOUND_LIMIT = 20;

/** Searches names as they were typed, the implementation that decision 123 replaced. */
export const find = userQuery({
  args: { text: v.string() },
  returns: v.any(),
  handler: async (ctx, { text }) => {
    const { db, user } = ctx;
    const projectOf = memo((id) => ifVisible(projectFor(ctx, id, "view")));
    const designOf = memo((id) => ifVisible(designFor(ctx, id, "view")));
    const projects = db
      .query("projects")
      .withSearchIndex("by_words", (q) => q.search("words", text).eq("ownerId", user.id).eq("removedAt", undefined));
    const designs = db
      .query("designs")
      .withSearchIndex("by_words", (q) => q.search("words", text).eq("ownerId", user.id).eq("removedAt", undefined));
    const images = db
      .query("designImages")
      .withSearchIndex("by_words", (q) => q.search("words", text).eq("ownerId", user.id).eq("removedAt", undefined));
    return {
      projects: await collectUpTo(projects, async ({ _id }) => {
        const row = await projectOf(_id);
        return row && toProject(row);
      }),
      designs: await collectUpTo(designs, async (row) => {
        const project = await projectOf(row.projectId);
        return project && { ...toDesign(row), projectName: project.name };
      }),
      images: await collectUpTo(images, async (row) => {
        const place = await designOf(row.designId);
        return place && { ...toDesignImage(row), designName: place.design.name, projectName: place.project.name };
      }),
    };
  },
});

async function collectUpTo<Row, Item>(rows: AsyncIterable<Row>, toItem: (row: Row) => Promise<Item | null>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const row of rows) {
    const item = await toItem(row);
    if (item !== null && items.length === FOUND_LIMIT) return items;
    if (item !== null) items.push(item);
  }
  return items;
}

function memo<Result>(ask: (id: string) => Promise<Result>): (id: string) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return (id) => {
    const answer = known.get(id) ?? ask(id);
    known.set(id, answer);
    return answer;
  };
}

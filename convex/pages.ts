import { type FunctionReference, getFunctionName } from "convex/server";
import { type Infer, v } from "convex/values";
import { api } from "./_generated/api";
import { userQuery } from "./model/access";
import { invalid, isConvexError } from "./model/errors";

const QUERIES_MAX = 16;

/** The allowed queries, because `runQuery` would also run internal functions. */
const QUERIES = new Map<string, FunctionReference<"query">>(
  [
    api.admin.auditLog.list,
    api.admin.invitations.list,
    api.admin.links.list,
    api.admin.mail.get,
    api.admin.people.get,
    api.admin.people.list,
    api.admin.storage.people,
    api.admin.storage.projects,
    api.accounts.accessTokens.list,
    api.accounts.mine.getConnections,
    api.accounts.mine.getMe,
    api.accounts.mine.getSecurity,
    api.accounts.mine.getSessions,
    api.activities.list,
    api.auditLog.listAll,
    api.auditLog.list,
    api.billing.getBilling,
    api.bulk.getRecent,
    api.comments.getThread,
    api.comments.listReplies,
    api.comments.listThreads,
    api.designImages.getDesignImageInPlace,
    api.designImages.getDesignImagesByDesignId,
    api.designImages.listDesignImages,
    api.designs.getDesignById,
    api.designs.getDesignsByProjectId,
    api.designs.getProject,
    api.designs.listDesigns,
    api.invitations.findOwn,
    api.invitations.list,
    api.links.getItem,
    api.links.list,
    api.links.listSaved,
    api.many.getName,
    api.members.getOwner,
    api.members.list,
    api.members.listEditable,
    api.members.listOwnShared,
    api.members.listSharedProjects,
    api.notices.getUnreadCount,
    api.notices.listAll,
    api.notificationSettings.get,
    api.notificationSettings.isMuted,
    api.projects.getNames,
    api.projects.getProjectById,
    api.projects.getProjects,
    api.projects.listProjects,
    api.reviews.getOverview,
    api.reviews.getReview,
    api.reviews.getReviewers,
    api.search.find,
    api.tags.getTags,
    api.transfers.get,
    api.transfers.listOffered,
    api.trash.getTrash,
    api.trash.getTrashed,
    api.trash.listTrash,
    api.usage.getUsage,
    api.versions.getImageVersion,
    api.versions.getVersions,
    api.wall.listProjectImages,
    api.webhooks.list,
  ].map((query) => [getFunctionName(query), query] as const),
);

const answer = v.union(v.object({ value: v.any() }), v.object({ refusal: v.any() }));

/** Runs the queries of a page in one call and one snapshot, each as if it were called alone. Throws "invalid" for other names. */
export const load = userQuery({
  args: { queries: v.array(v.object({ name: v.string(), args: v.any() })) },
  returns: v.array(answer),
  handler: async ({ runQuery }, { queries }): Promise<Infer<typeof answer>[]> => {
    if (queries.length > QUERIES_MAX) throw invalid({ queries: [`At most ${QUERIES_MAX} queries.`] });
    const answers: Infer<typeof answer>[] = [];
    for (const { name, args } of queries) {
      const query = QUERIES.get(name);
      if (!query) throw invalid({ queries: [`${name} is not a query of a page.`] });
      try {
        answers.push({ value: await runQuery(query, args) });
      } catch (error) {
        if (!isConvexError(error)) throw error;
        answers.push({ refusal: error.data });
      }
    }
    return answers;
  },
});

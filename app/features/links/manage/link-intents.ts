import type { FunctionReturnType } from "convex/server";
import { intent, type IntentName } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";

export type ManagedLink = FunctionReturnType<typeof api.links.list>["page"][number];

export const linkIntents = {
  revokeLink: intent({
    mutation: api.links.revoke,
    fields: ["projectId", "linkId"],
    args: ({ projectId, linkId }) => ({ projectId, linkId }),
    optimistic(store, { projectId, linkId }) {
      for (const { args, value } of store.getAllQueries(api.links.list))
        if (value && args.projectId === projectId)
          store.setQuery(api.links.list, args, { ...value, page: value.page.filter(({ _id }) => _id !== linkId) });
    },
    message: { text: "Link revoked" },
  }),
};

export type SavedLink = FunctionReturnType<typeof api.links.listSaved>[number];

export const savedLinkIntents = {
  forgetLink: intent({
    mutation: api.links.forget,
    fields: ["savedId"],
    args: ({ savedId }) => ({ savedId }),
    optimistic(store, { savedId }) {
      const saved = store.getQuery(api.links.listSaved, {});
      if (saved)
        store.setQuery(
          api.links.listSaved,
          {},
          saved.filter(({ _id }) => _id !== savedId),
        );
    },
    message: { text: "Link removed" },
  }),
};

/** Run on the app server only, which generates tokens and hashes passwords (`manage-links.server.ts`). */
export const CREATE_LINK: IntentName = "createLink";
export const CHANGE_LINK: IntentName = "changeLink";

declare module "~/lib/forms/intents" {
  interface IntentTables {
    links: typeof linkIntents & typeof savedLinkIntents & Record<"createLink" | "changeLink", unknown>;
  }
}

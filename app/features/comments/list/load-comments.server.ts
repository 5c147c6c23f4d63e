import type { RouterContextProvider } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { constraintOf } from "~/lib/forms/constraint.server";
import { once } from "~/lib/rendering/send-once.server";
import { api } from "#convex/_generated/api";
import { writeComment } from "#convex/model/rules";
import { THREAD } from "../thread-address";
import type { CommentsData } from "./comments-page";
import { filterIn } from "./filters";

const THREADS = 20;
const REPLIES = 50;
/** A key, which also contains the thread's id, is limited to 64 characters. */
const KEY_LENGTH = 16;

export async function loadComments(context: Readonly<RouterContextProvider>, itemId: string, url: URL): Promise<CommentsData> {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const filter = filterIn(url.searchParams);
  const threadId = url.searchParams.get(THREAD);
  const at = (ofThread: boolean, numItems: number) => ({ cursor: ofThread ? cursor : null, numItems });
  const [threads, thread] = await Promise.all([
    convex.preload(api.comments.listThreads, { itemId, filter, withReplies: true, paginationOpts: at(threadId === null, THREADS) }),
    threadId === null
      ? null
      : Promise.all([
          convex.preload(api.comments.getThread, { threadId }),
          convex.preload(api.comments.listReplies, { threadId, paginationOpts: at(true, REPLIES) }),
        ]),
  ]);
  if (thread && thread[0].value.itemId !== itemId) throw notFoundResponse();
  return {
    threads,
    thread: thread && { own: thread[0], replies: thread[1] },
    filter,
    isFirst: cursor === null,
    formKey: once(context).replaceAll("-", "").slice(0, KEY_LENGTH),
    constraint: constraintOf(writeComment),
  };
}

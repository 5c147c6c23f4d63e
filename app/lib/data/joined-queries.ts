import type { OptimisticLocalStore, OptimisticUpdate } from "convex/browser";
import { type FunctionReturnType, getFunctionName } from "convex/server";
import type { Value } from "convex/values";
import { api } from "#convex/_generated/api";
import { refusalError } from "#convex/model/errors";
import type { Preload } from "./preload";
import { argsKey } from "./query-key";

type Answers = FunctionReturnType<typeof api.pages.load>;

export const JOINED = api.pages.load;

/** Subscribes to small answers as one query. Each change sends all answers again, so a long list must be a separate query. */
export function joinPreloads(...preloads: Preload<unknown>[]): void {
  const args = { queries: preloads.map(({ query, args }) => ({ name: query, args })) };
  for (const [index, preloaded] of preloads.entries()) preloaded.joined = { args, index };
}

export function answerAt(answers: Answers | Error | undefined, index: number) {
  if (answers === undefined || answers instanceof Error) return answers;
  const answer = answers[index];
  return answer && ("refusal" in answer ? refusalError(answer.refusal) : answer.value);
}

/** Lets an optimistic update read and change the answers of joined queries like those of separate ones. */
export const withJoinedQueries =
  <Args extends Record<string, Value>>(update: OptimisticUpdate<Args>): OptimisticUpdate<Args> =>
  (store, args) =>
    update(storeWithJoinedQueries(store), args);

export function storeWithJoinedQueries(store: OptimisticLocalStore): OptimisticLocalStore {
  function joined(query: Parameters<typeof getFunctionName>[0], key?: string) {
    const name = getFunctionName(query);
    return store.getAllQueries(JOINED).flatMap(({ args: of, value: answers = [] }) =>
      of.queries.flatMap((each, index) => {
        const answer = answers[index];
        const isRequested = each.name === name && (key === undefined || argsKey(each.args) === key);
        return isRequested && answer && "value" in answer ? [{ args: each.args, value: answer.value, of, answers, index }] : [];
      }),
    );
  }
  return {
    getQuery: (query, ...args) => store.getQuery(query, ...args) ?? joined(query, argsKey(args[0]))[0]?.value,
    getAllQueries(query) {
      const separate = store.getAllQueries(query);
      const keys = new Set(separate.map(({ args }) => argsKey(args)));
      return [...separate, ...joined(query).filter(({ args }) => !keys.has(argsKey(args)))];
    },
    setQuery(query, args, value) {
      const found = joined(query, argsKey(args));
      for (const { of, answers, index } of found) store.setQuery(JOINED, of, answers.with(index, { value }));
      const isSeparate = store.getAllQueries(query).some(({ args: own }) => argsKey(own) === argsKey(args));
      if (found.length === 0 || isSeparate) store.setQuery(query, args, value);
    },
  };
}

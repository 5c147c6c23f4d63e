import type { FunctionReturnType } from "convex/server";
import { useRouteLoaderData } from "react-router";
import type { api } from "#convex/_generated/api";
import { answerAt, JOINED } from "./joined-queries";
import type { PreloadOf } from "./preload";
import { useQueries } from "./use-queries";

type ShellData = { me: PreloadOf<typeof api.accounts.mine.getMe> | null };

type Me = FunctionReturnType<typeof api.accounts.mine.getMe>;

export function useMe(): Me | undefined {
  const joined = useRouteLoaderData<ShellData>("routes/shell")?.me?.joined;
  const { shell } = useQueries(joined ? { shell: { query: JOINED, args: joined.args } } : {});
  const me: Me | Error | undefined = joined && answerAt(shell, joined.index);
  return me instanceof Error ? undefined : me;
}

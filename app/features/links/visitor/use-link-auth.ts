import { href, useParams, useRouteLoaderData } from "react-router";
import { useTokens } from "~/features/accounts/session/use-auth";

type LinkData = { convexToken: string | null } | undefined;

export function useLinkAuth() {
  const { token = "" } = useParams();
  return useTokens(useRouteLoaderData<LinkData>("routes/link")?.convexToken ?? null, href("/s/:token/token", { token }));
}

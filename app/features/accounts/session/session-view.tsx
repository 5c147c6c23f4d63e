import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";
import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { fetchConvexToken } from "./convex/convex-token";
import { useAnnounceSession } from "./session-broadcast";
import { userSummary } from "./user-summary";

type Me = { id: string; name: string; email: string; emailVerified: boolean; image: string | null };

type SessionViewProps = {
  me: Preload<Me>;
  shown: Me;
};

/** Updates the page when the user's name, address or picture changes, in every tab (specification 4). */
export function SessionView({ me, shown }: SessionViewProps) {
  useAnnounceSession(shown.id);
  const live = useLive(me);
  const { revalidate } = useRevalidator();
  const [now, before] = [textOf(userSummary(live)), textOf(shown)];
  // Once per change: otherwise a value that the token cannot represent would refetch forever.
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (now === before || now === followed.current) return;
    followed.current = now;
    fetchConvexToken().then(() => revalidate(), console.error);
  }, [now, before, revalidate]);
  return null;
}

const textOf = ({ id, name, email, emailVerified, image }: Me): string => JSON.stringify([id, name, email, emailVerified, image]);

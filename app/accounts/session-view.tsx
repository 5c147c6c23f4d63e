import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";
import type { Preload } from "~/data/preload";
import { useLive } from "~/data/use-live";
import { fetchConvexToken } from "./convex-token";
import { useAnnounceSession } from "./other-tabs";
import { shownUser } from "./shown-user";

type Me = { id: string; name: string; email: string; emailVerified: boolean; image: string | null };

type SessionViewProps = {
  /** Who the visitor is, as the deployment has it. */
  me: Preload<Me>;
  /** And as the page shows it. */
  shown: Me;
};

/**
 * Keeps what a page says of its visitor as it is, in every open tab (specification 4): when their name, address or picture changes, by whatever
 * call and wherever, the token that carries them is made anew, and the loaders run again.
 */
export function SessionView({ me, shown }: SessionViewProps) {
  useAnnounceSession(shown.id);
  const live = useLive(me);
  const { revalidate } = useRevalidator();
  const [now, before] = [textOf(shownUser(live)), textOf(shown)];
  // Once for each change: what a token cannot carry as it is would otherwise be fetched again and again.
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (now === before || now === followed.current) return;
    followed.current = now;
    fetchConvexToken().then(() => revalidate(), console.error);
  }, [now, before, revalidate]);
  return null;
}

const textOf = ({ id, name, email, emailVerified, image }: Me): string => JSON.stringify([id, name, email, emailVerified, image]);

import { useEffect } from "react";
import { fetchConvexToken } from "./convex-token";

const CHANNEL = "atelier session";
/** When a page that lost its session asks whether there is another by now, in ms after it came to /sign-in: the answer to a form is on its way. */
const LOOKS = [250, 1000, 3000, 8000];

/**
 * Tells the other tabs of this browser who is signed in: for a page of theirs, once it is there. A page of somebody else, told so, is loaded anew:
 * its forms would be sent with the cookies of the one who is signed in now.
 */
export function useAnnounceSession(userId: string): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (typeof data === "string" && data !== userId) location.reload();
    });
    channel.postMessage(userId);
    return () => channel.close();
  }, [userId]);
}

/**
 * For the page for signing in: once somebody is signed in in another tab, this one goes on to where it wanted. So does a tab that came here because
 * a form of another put a new session in the place of its own. Asked again when the tab is looked at, should it have missed the news.
 */
export function useCarryOn(): void {
  useEffect(() => {
    const over = new AbortController();
    const channel = new BroadcastChannel(CHANNEL);
    // The server leads on, by a new document: whose pages they are has changed.
    channel.addEventListener("message", () => location.reload(), { signal: over.signal });
    const look = () => {
      if (document.visibilityState !== "visible") return;
      fetchConvexToken().then(
        (token) => token !== null && !over.signal.aborted && location.reload(),
        () => {},
      );
    };
    document.addEventListener("visibilitychange", look, { signal: over.signal });
    const timers = isDocument() ? [] : LOOKS.map((delay) => setTimeout(look, delay));
    return () => {
      timers.forEach(clearTimeout);
      over.abort();
      channel.close();
    };
  }, []);
}

/** Whether this page is what the document was loaded as: nobody lost a session in it. */
const isDocument = () => performance.getEntriesByType("navigation")[0]?.name === location.href;

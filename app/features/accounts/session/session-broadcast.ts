import { useEffect } from "react";
import { fetchConvexToken } from "./convex/convex-token";

const CHANNEL = "atelier session";
/** Delays in ms after which a page without a session checks for a new one: a form's response may not have arrived yet. */
const CHECK_DELAYS_MS = [250, 1000, 3000, 8000];

/** Announces the user to other tabs. Tabs of another user reload, because their forms would use the new user's cookies. */
export function useAnnounceSession(userId: string): void {
  useEffect(() => {
    const channel = openChannel();
    if (!channel) return;
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (typeof data === "string" && data !== userId) location.reload();
    });
    channel.postMessage(userId);
    return () => channel.close();
  }, [userId]);
}

/** Reloads the sign-in page once another tab has signed in. A tab that becomes visible checks again, as it may have missed the message. */
export function useReloadOnSignIn(): void {
  useEffect(() => {
    const controller = new AbortController();
    const channel = openChannel();
    channel?.addEventListener("message", () => location.reload(), { signal: controller.signal });
    const check = () => {
      if (document.visibilityState !== "visible") return;
      fetchConvexToken().then(
        (token) => token !== null && !controller.signal.aborted && location.reload(),
        () => {},
      );
    };
    document.addEventListener("visibilitychange", check, { signal: controller.signal });
    const timers = isDocument() ? [] : CHECK_DELAYS_MS.map((delay) => setTimeout(check, delay));
    return () => {
      timers.forEach(clearTimeout);
      controller.abort();
      channel?.close();
    };
  }, []);
}

/** Returns null where the browser blocks site data: Firefox then throws a SecurityError. */
function openChannel(): BroadcastChannel | null {
  try {
    // oxlint-disable-next-line no-restricted-globals -- errors are caught
    return new BroadcastChannel(CHANNEL);
  } catch {
    return null;
  }
}

/** Returns whether the browser loaded the document at this address. After a client-side navigation, the session may have ended meanwhile. */
const isDocument = () => performance.getEntriesByType("navigation")[0]?.name === location.href;

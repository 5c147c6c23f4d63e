/** What is known of a picture that somebody may see; enough to say which bytes they are to get. */
export type Granted = { contentType: string; checksum: string; name: string; size: number; width: number; height: number };

export type Grants = {
  /**
   * The picture, if this session may see it; else null. Asks at most once in `GRANT_MS`, and once for all who ask meanwhile. `versionId` means
   * one of the image's versions; without it, the current one.
   */
  get(sessionId: string, imageId: string, versionId?: string): Promise<Granted | null>;
  /** Notes what a loader has just been given for this session, so that a page's fifty pictures cost no further question. */
  note(sessionId: string, images: readonly (Granted & { _id: string; versionId?: string | undefined })[]): void;
};

/** For how long a picture stays visible after its session, or the access, has ended: the one stated exception to 'at once'. */
export const GRANT_MS = 10_000;

const REMEMBERED = 20_000;

/** @param ask the deployment's answer for this session now; null for a missing and for a foreign picture */
export function createGrants(
  ask: (sessionId: string, imageId: string, versionId?: string) => Promise<Granted | null>,
  now: () => number = Date.now,
): Grants {
  const grants = new Map<string, { picture: Promise<Granted | null>; until: number }>();
  const keyOf = (sessionId: string, imageId: string, versionId = "") => `${sessionId} ${imageId} ${versionId}`;

  function set(key: string, picture: Promise<Granted | null>) {
    // Deleted first, so that the Map's order is that of age and its first entries are those to forget.
    grants.delete(key);
    const grant = { picture, until: now() + GRANT_MS };
    grants.set(key, grant);
    for (const [oldest, { until }] of grants) {
      if (grants.size <= REMEMBERED && until > now()) break;
      grants.delete(oldest);
    }
    return grant;
  }

  return {
    async get(sessionId, imageId, versionId) {
      const key = keyOf(sessionId, imageId, versionId);
      const known = grants.get(key);
      if (known && known.until > now()) return known.picture;
      const grant = set(key, ask(sessionId, imageId, versionId));
      const forget = () => {
        if (grants.get(key) === grant) grants.delete(key);
      };
      try {
        const picture = await grant.picture;
        // What is missing now may be there in a moment, and must then be seen.
        if (picture === null) forget();
        return picture;
      } catch (error) {
        forget();
        throw error;
      }
    },
    note(sessionId, images) {
      for (const { _id, versionId, contentType, checksum, name, size, width, height } of images)
        set(keyOf(sessionId, _id, versionId), Promise.resolve({ contentType, checksum, name, size, width, height }));
    },
  };
}

/** A person has as many requests under way as they may; the others are to come again. */
export class TooMany extends Error {
  override name = "TooMany";
}

export type Places = {
  /** Runs a job in one of the person's places; throws `TooMany` at once when all are taken. */
  hold<Result>(personId: string, job: () => Promise<Result>): Promise<Result>;
};

/** As many jobs of each person at once as there are places, so that nobody takes all that there is for everybody. */
export function createPlaces(each: number): Places {
  const taken = new Map<string, number>();
  return {
    async hold(personId, job) {
      const before = taken.get(personId) ?? 0;
      if (before >= each) throw new TooMany(`${each} are under way already`);
      taken.set(personId, before + 1);
      try {
        return await job();
      } finally {
        const left = (taken.get(personId) ?? 1) - 1;
        if (left > 0) taken.set(personId, left);
        else taken.delete(personId);
      }
    },
  };
}

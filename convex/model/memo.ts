export function memo<Result>(load: (id: string) => Promise<Result>): (id: string) => Promise<Result> {
  const cache = new Map<string, Promise<Result>>();
  return (id) => {
    const answer = cache.get(id) ?? load(id);
    cache.set(id, answer);
    return answer;
  };
}

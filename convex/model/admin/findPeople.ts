import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

const MATCHES_MAX = 25;

const HIGHEST_CHARACTER = "\u{10FFFF}";

export async function findPeople({ db }: QueryCtx, typed: string): Promise<Doc<"users">[]> {
  const text = typed.trim();
  const address = text.toLowerCase();
  const [begins, named, addressed] = await Promise.all([
    db
      .query("users")
      .withIndex("email", (q) => q.gte("email", address).lt("email", address + HIGHEST_CHARACTER))
      .take(MATCHES_MAX),
    db
      .query("users")
      .withSearchIndex("search_name", (q) => q.search("name", text))
      .take(MATCHES_MAX),
    text.includes("@")
      ? []
      : db
          .query("users")
          .withSearchIndex("search_email", (q) => q.search("email", text))
          .take(MATCHES_MAX),
  ]);
  return [...new Map([...begins, ...named, ...addressed].map((user) => [user._id, user])).values()];
}

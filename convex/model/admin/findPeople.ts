import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

/** Matches of each kind. A more precise text finds the others. */
const FOUND = 25;

/** Above all characters that an address can have. */
const LAST = "\u{10FFFF}";

/** Returns the accounts whose address begins with the text, then those whose name or address contains its words. */
export async function findPeople({ db }: QueryCtx, typed: string): Promise<Doc<"users">[]> {
  const text = typed.trim();
  const address = text.toLowerCase();
  const [begins, named, addressed] = await Promise.all([
    db
      .query("users")
      .withIndex("email", (q) => q.gte("email", address).lt("email", address + LAST))
      .take(FOUND),
    db
      .query("users")
      .withSearchIndex("search_name", (q) => q.search("name", text))
      .take(FOUND),
    // The words of a whole address, such as "example" and "com", match the addresses of many others.
    text.includes("@")
      ? []
      : db
          .query("users")
          .withSearchIndex("search_email", (q) => q.search("email", text))
          .take(FOUND),
  ]);
  return [...new Map([...begins, ...named, ...addressed].map((user) => [user._id, user])).values()];
}

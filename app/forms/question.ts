/** What can be asked about an item, as the page's search says it: `?rename=…`, beside whatever else stands there. */
export const QUESTIONS = ["rename", "remove", "purge"] as const;
export type Question = (typeof QUESTIONS)[number];

/** The search parameter with which a page offers its things to be chosen from (`~/selection`): another state of the page, as a question is. */
export const SELECT = "select";

/** The search parameter that names the item whose menu stands open: for browsers without scripts, which ask the server for it. */
export const MENU = "menu";

/** The page's search with this question in it, instead of any other. */
export function withQuestion(search: string, what: Question, id: string): string {
  const params = new URLSearchParams(withoutQuestion(search));
  params.set(what, id);
  return `?${params}`;
}

/** The page's search without any question, open menu, and choosing; "" when nothing else stands in it. */
export function withoutQuestion(search: string): string {
  const params = new URLSearchParams(search);
  for (const what of [...QUESTIONS, MENU, SELECT]) params.delete(what);
  return params.size > 0 ? `?${params}` : "";
}

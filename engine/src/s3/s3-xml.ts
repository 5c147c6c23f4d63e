/** Returns the contents of all elements with this name. The responses that the client reads do not nest them. */
export const elementsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, "g"))].map(([, content = ""]) => content);

export const textOf = (xml: string, name: string): string => (elementsOf(xml, name)[0] ?? "").replace(/&(#x?)?(\w+);/g, decoded);

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(entity: string, number: string | undefined, name: string): string {
  if (number === undefined) return NAMED[name] ?? entity;
  return String.fromCodePoint(Number.parseInt(name, number === "#x" ? 16 : 10));
}

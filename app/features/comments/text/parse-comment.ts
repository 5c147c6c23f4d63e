import { Marked, type Token, type TokenizerExtension, type Tokens } from "marked";

/** A comment's text as a tree. It contains no HTML, and only addresses that `safeAddress` accepts. */
export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "list"; start: number | null; items: Block[][] };

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "break" }
  | { kind: "bold" | "italic"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "link"; address: string; children: Inline[] }
  | { kind: "mention"; name: string };

/** The Convex functions insert the person's current name (`convex/model/comments/mentions.ts`). */
const MENTION = /^@\[([^[\]\n]{1,200})\]\([\w-]{1,64}\)/;

const mention: TokenizerExtension = {
  name: "mention",
  level: "inline",
  start: (text) => text.indexOf("@["),
  tokenizer(text) {
    const [raw, name] = MENTION.exec(text) ?? [];
    return raw === undefined ? undefined : { type: "mention", raw, name };
  },
};

const asText = () => undefined;

/** The parser's time grows with the square or the cube of these characters, so that many of them would block the server for seconds. */
const SYNTAX = /[!*_`[\]()@<&~\\|+-]|\d[.)]|\s(?=\s)/g;
const SYNTAX_MAX = 400;
/** Fenced code is not counted, because its syntax is not parsed. */
const FENCED = /^(```|~~~).*\n[^]*?^\1/gm;

const isTooComplex = (text: string): boolean => text.length > SYNTAX_MAX && count(text.replaceAll(FENCED, ""), SYNTAX) > SYNTAX_MAX;

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

/** Deeper lists stay text: the parser recurses once for each level. */
const NESTED_MARKERS = /^\s*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+){8}/;

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [mention],
  tokenizer: {
    html: asText,
    tag: asText,
    heading: asText,
    lheading: asText,
    hr: asText,
    table: asText,
    blockquote: asText,
    code: asText,
    def: asText,
    reflink: asText,
    del: asText,
    list: (text) => (NESTED_MARKERS.test(text) ? undefined : false),
  },
});

const MAX_ENTRIES = 200;
const parsed = new Map<string, Block[]>();

/** Parses line breaks, links, bold, italic, lists, code and mentions. Other syntax stays text. Text with too much syntax is not parsed. */
export function parseComment(text: string): Block[] {
  const known = parsed.get(text);
  if (known) return known;
  const blocks = blocksOf(text);
  if (parsed.size >= MAX_ENTRIES) parsed.delete(parsed.keys().next().value ?? "");
  parsed.set(text, blocks);
  return blocks;
}

function blocksOf(text: string): Block[] {
  if (isTooComplex(text)) return plainBlocks(text);
  try {
    return toBlocks(marked.lexer(text));
  } catch {
    return plainBlocks(text);
  }
}

function plainBlocks(text: string): Block[] {
  const lines = text
    .replaceAll(new RegExp(MENTION.source.slice(1), "g"), "@$1")
    .split("\n")
    .map((line): Inline => ({ kind: "text", text: line }));
  return [{ kind: "paragraph", children: lines.flatMap((line, index) => (index === 0 ? [line] : [{ kind: "break" }, line])) }];
}

function toBlocks(tokens: readonly Token[]): Block[] {
  return tokens.flatMap((token): Block[] => {
    if (token.type === "space" || token.type === "checkbox") return [];
    if (isA(token, "code")) return [{ kind: "code", text: token.text }];
    if (isA(token, "list")) return [toList(token)];
    return [{ kind: "paragraph", children: toInlines("tokens" in token && token.tokens ? token.tokens : [token]) }];
  });
}

function toList({ ordered, start, items }: Tokens.List): Block {
  const boxed = ({ checked, task }: Tokens.ListItem): Inline[] => (task ? [{ kind: "text", text: checked ? "☑ " : "☐ " }] : []);
  return {
    kind: "list",
    start: ordered ? Number(start) : null,
    items: items.map((item) => {
      const [first, ...others] = toBlocks(item.tokens);
      if (first?.kind !== "paragraph") return [...(first ? [first] : []), ...others];
      return [{ kind: "paragraph", children: [...boxed(item), ...first.children] }, ...others];
    }),
  };
}

function toInlines(tokens: readonly Token[]): Inline[] {
  return tokens.map((token): Inline => {
    if (token.type === "br") return { kind: "break" };
    if (isA(token, "strong")) return { kind: "bold", children: toInlines(token.tokens) };
    if (isA(token, "em")) return { kind: "italic", children: toInlines(token.tokens) };
    if (isA(token, "codespan")) return { kind: "code", text: token.text };
    if (isA(token, "escape")) return { kind: "text", text: token.text };
    if (token.type === "mention") return { kind: "mention", name: String(token["name"]) };
    if (isA(token, "link")) {
      const address = safeAddress(token.href);
      if (address !== null) return { kind: "link", address, children: toInlines(token.tokens) };
    }
    return { kind: "text", text: token.raw };
  });
}

const isA = <Type extends keyof TokenTypes>(token: Token, type: Type): token is TokenTypes[Type] => token.type === type;

type TokenTypes = {
  code: Tokens.Code;
  list: Tokens.List;
  strong: Tokens.Strong;
  em: Tokens.Em;
  codespan: Tokens.Codespan;
  escape: Tokens.Escape;
  link: Tokens.Link;
};

const SAFE_PROTOCOLS = ["http:", "https:", "mailto:"];

export function safeAddress(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return SAFE_PROTOCOLS.includes(protocol) ? href : null;
}

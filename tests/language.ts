/** `npm run language [-- --list]`: measures the texts by the writing rules and lists each finding. Never fails. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const SOURCES = globSync("{app,bench,convex,engine,server,tests}/**/*.{ts,tsx,js,css}", {
  cwd: ROOT,
  exclude: (name) => /node_modules|_generated|^build$/.test(name),
});
const DOCS = globSync("{*.md,{docs,engine,tests,bench,.github}/**/*.md}", { cwd: ROOT, exclude: (name) => name === "node_modules" });
const MAX_WORDS = 25;
const MAX_TITLE = 80;
/** The comment lines of commit a0de009, before the texts were rewritten. The aim is half of them. */
const BASELINE_COMMENT_LINES = 6113;

type Finding = { file: string; text: string };

const read = (file: string) => readFileSync(ROOT + file, "utf8");
const isTest = (file: string) => /\.(test|spec)\.tsx?$/.test(file);

/** A line that begins with `*` continues a comment, except the CSS selector `* {`. */
const isComment = (line: string) => /^(\/\/|\/\*|\*(?!.*\{$)(\s|\/|$))/.test(line.trim());
const isDirective = (line: string) => /^\/[/*]+\s*(?:oxlint-|@ts-|@vitest-|@param \{)/.test(line.trim());
const withoutComments = (source: string) =>
  source
    .split("\n")
    .filter((line) => !isComment(line))
    .join("\n");

function commentLines(source: string): string[] {
  return source
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => isComment(line) && !isDirective(line));
}

const commentText = (source: string) =>
  source
    .split("\n")
    .map((line) => line.trim())
    .map((line) => (isComment(line) ? line : ""))
    .map((line) =>
      line
        .replace(/^\/\*\*?\s*/, "\n")
        .replace(/^(\/\/+|\*\/?)\s*/, "")
        .replace(/\s*\*\/$/, "\n"),
    )
    .map((line) => line.replace(/^@/, "\n@"))
    .join("\n");

function sentences(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?```/g, "")
    .replaceAll(/^\s*[|#].*$/gm, "")
    .replaceAll(/\n\s*([-*]|\d+\.)\s/g, ". ")
    .replaceAll(/\n\n/g, ". ")
    .replaceAll(/`[^`]*`/g, "code")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .split(/[.!?:;](?=\s|$)/)
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .filter(Boolean);
}

const isLong = (sentence: string) => sentence.split(" ").length > MAX_WORDS;

function titles(source: string): string[] {
  return [...source.matchAll(/\b(?:test|it|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(["'`])((?:(?!\1).)+)\1/g)].map(
    ([, , title]) => title ?? "",
  );
}

function report(name: string, findings: Finding[], total: number): void {
  console.log(`${name}: ${findings.length} of ${total}`);
  if (process.argv.includes("--list")) for (const { file, text } of findings) console.log(`  ${file}: ${text}`);
}

const comments = SOURCES.flatMap((file) => commentLines(read(file)).map((text) => ({ file, text })));
console.log(`Comment lines: ${comments.length}; baseline ${BASELINE_COMMENT_LINES}, aim ${BASELINE_COMMENT_LINES / 2}`);

const commentSentences = SOURCES.flatMap((file) => sentences(commentText(read(file))).map((text) => ({ file, text })));
report(
  `Comment sentences over ${MAX_WORDS} words`,
  commentSentences.filter(({ text }) => isLong(text)),
  commentSentences.length,
);

const docSentences = DOCS.flatMap((file) => sentences(read(file)).map((text) => ({ file, text })));
report(
  `Sentences in Markdown over ${MAX_WORDS} words`,
  docSentences.filter(({ text }) => isLong(text)),
  docSentences.length,
);

const allTitles = SOURCES.filter(isTest).flatMap((file) => titles(read(file)).map((text) => ({ file, text })));
report(
  `Test titles over ${MAX_TITLE} characters`,
  allTitles.filter(({ text }) => text.length > MAX_TITLE),
  allTitles.length,
);

const REPLACED_TEXTS = [
  "Being looked at",
  "Waiting for its turn",
  "It goes on by itself",
  "here already",
  "Add anyway",
  "See it",
  "not added",
  "Stopped on the way",
  "This is a text",
  "Too many pictures are being looked at",
  "it may have 50 MiB",
  "The page's wall",
  "This is the only one",
  "Shown to nobody",
  "By hand",
  "No favourite",
  "Latest images as cover",
  "Take off",
  "Tag taken off",
  "no longer tagged so",
  "Bring back what went to the trash last",
  "Close what is open above the page",
  "Show its own pixels",
  "Go to, do or find",
  "Nothing is called",
  "Nothing has all that is asked for",
  "Switch single keys off",
  "” is back",
  " are back",
  "Delete for ever",
  "What you delete lies here",
  "kept until",
  "Elsewhere…",
  "it is back where it was",
  "in another place",
  "Nothing to tell",
  "Choose something first",
  "All of this page",
  "This page comes by itself",
  "This did not work",
  "What you changed waits here",
  "This page stays until you are back",
  "Somebody may have deleted it meanwhile",
  "Where to",
  "What it shows",
  "among the first that are guessed",
  "Name, to know it by",
  "Each opens your account once",
  "New ones make the old ones worthless",
  "A square that stands for you",
  "Where you are signed in",
  "The only way into your account",
  "Take your data with you",
  "Look at how you pay",
  "or the provider, said no",
  "Tell us your address",
  "An unknown program",
];

const interfaceFiles = SOURCES.filter((file) => /^(app|convex|server)\//.test(file) && !isTest(file));
report(
  "Interface texts that the glossary replaced",
  interfaceFiles.flatMap((file) => {
    const code = withoutComments(read(file));
    const isIn = (text: string) =>
      code
        .split(text)
        .slice(1)
        .some((rest) => !/^\w/.test(rest));
    return REPLACED_TEXTS.filter(isIn).map((text) => ({ file, text }));
  }),
  REPLACED_TEXTS.length,
);

import { z } from "zod";

/**
 * What people may write, and how they are told when they may not. Pure, so that the app's server-only files can use the same rules for the
 * attributes of its forms; browsers never load this file. They are applied in this folder, by `check`, always: a mutation that arrives over
 * the websocket has passed nobody else.
 */

/** Longest name of a project, design or image, in UTF-16 units, as the `maxlength` of a form field counts. */
export const NAME_MAX = 200;

/** Longest description of a project or design, and longest caption of an image. */
export const TEXT_MAX = 2000;

/** Longest tag, and how many of them one thing can have. */
export const TAG_MAX = 40;
export const TAGS_MAX = 20;

/** Longest text of a search, in UTF-16 units. */
export const SEARCH_MAX = 200;

/** The picture types that are accepted (recognised by content, in the app's uploads). */
export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/svg+xml"] as const;

/** Longest side of a picture in pixels; uploads refuse sooner by area. */
export const IMAGE_SIDE_MAX = 100_000;

/** For how long app servers are told that a file was deleted (milliseconds); what one that was down for longer kept of it, it drops at start. */
export const RELEASED_TOLD_FOR = 7 * 24 * 60 * 60 * 1000;

/** Most versions of one image: so that deleting it is one transaction, and its history one answer. */
export const VERSIONS_MAX = 50;

/** Most things that are moved, trashed, restored or downloaded in one go: what one transaction does with ease, and all that a page can show. */
export const MANY_MAX = 500;

const text = z.string().min(1).max(100);
const amount = z.number().positive().max(1e7);

function name(thing: string) {
  return z
    .string({ error: `Give the ${thing} a name.` })
    .trim()
    .min(1, { error: `Give the ${thing} a name.` })
    .max(NAME_MAX, { error: `A name can be ${NAME_MAX} characters at most.` })
    .refine(isPlainLine, { error: "A name is a single line of text." });
}

export const createProject = z.object({ name: name("project") });
export const renameProject = z.object({ name: name("project") });
export const createDesign = z.object({ name: name("design") });
export const renameDesign = z.object({ name: name("design") });
export const renameDesignImage = z.object({ name: name("image") });

const prose = (thing: string) =>
  z
    .string()
    // Browsers send their forms with both signs at a line's end (HTML, "constructing the entry list"); scripts do not.
    .overwrite((typed) => typed.replaceAll(/\r\n?/g, "\n"))
    .trim()
    .max(TEXT_MAX, { error: `A ${thing} can be ${TEXT_MAX.toLocaleString("en")} characters at most.` })
    .refine(isPlainText, { error: `A ${thing} is plain text.` });

/** Several things that something is done to at once. */
export const many = z.object({
  ids: z
    .array(z.string())
    .min(1, { error: "Choose something first." })
    .max(MANY_MAX, { error: `${MANY_MAX} things at once are the most that can be done. Choose fewer, and do the rest after.` }),
});

export const describe = z.object({ description: prose("description") });
export const captionImage = z.object({ caption: prose("caption") });

/** One tag as it is typed, or several with commas between them. */
export const addTag = z.object({
  tag: z.string().transform((typed, ctx) => {
    const tags = typed
      .split(",")
      .map((each) => each.trim().replaceAll(/\s+/g, " "))
      .filter((each) => each !== "");
    const problem = problemWith(tags);
    if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
    return tags;
  }),
});

/** How many tags are put on, or taken off, at once, over all things: each costs a row, and a transaction has its limits. */
const TAGGINGS_MAX = 2000;

/** The same for several things at once. */
export const tagMany = many.extend(addTag.shape).superRefine(({ ids, tag }, ctx) => {
  const most = Math.floor(TAGGINGS_MAX / ids.length);
  if (tag.length <= most) return;
  const message = `With ${ids.length} things at once ${most} tags are the most. Choose fewer, or write the other tags after.`;
  ctx.addIssue({ code: "custom", path: ["tag"], message });
});

function problemWith(tags: string[]): string | null {
  if (tags.length === 0) return "Write a tag.";
  if (tags.length > TAGS_MAX) return `There can be ${TAGS_MAX} tags at most.`;
  if (tags.some((tag) => tag.length > TAG_MAX)) return `A tag can be ${TAG_MAX} characters at most.`;
  if (!tags.every(isPlainLine)) return "A tag is a single line of text.";
  return tags.every((tag) => tagKey(tag) !== "") ? null : "A tag has a letter or a digit in it.";
}

/** By which two tags are the same: capitals, the ways to write a letter and spaces do not count. "" for what has no letter and no digit. */
export function tagKey(tag: string): string {
  return wordsOf(tag.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " "));
}

/** What the app server found out about an uploaded picture. */
export const imageFacts = z.object({
  contentType: z.enum(IMAGE_TYPES, { error: "This is no picture that can be kept here." }),
  size: z.int().positive({ error: "The file is empty." }),
  width: z.int().positive().max(IMAGE_SIDE_MAX),
  height: z.int().positive().max(IMAGE_SIDE_MAX),
  checksum: z.string().regex(/^[0-9a-f]{64}$/, { error: "Not a SHA-256 in hexadecimal." }),
  placeholder: z.base64().min(1).max(128).nullable(),
  animated: z.boolean(),
  uploadId: z.string().min(1).max(200),
  details: z
    .object({
      colourSpace: text.optional(),
      camera: text.optional(),
      lens: text.optional(),
      exposureTime: amount.optional(),
      aperture: amount.optional(),
      iso: amount.optional(),
      focalLength: amount.optional(),
      hasPlace: z.boolean(),
    })
    .optional(),
});

/**
 * The name that an uploaded file's image gets: the file's own, made to fit the rule for names. Its end (".png") survives the cut; a file
 * without a usable name becomes "Untitled".
 */
export function nameFromFile(fileName: string): string {
  const line = Array.from(fileName.toWellFormed(), (each) => (isPlainLine(each) ? each : " "))
    .join("")
    .trim();
  if (line === "") return "Untitled";
  if (line.length <= NAME_MAX) return line;
  const end = /\.[^.\s]{1,10}$/.exec(line)?.[0] ?? "";
  return (
    line
      .slice(0, NAME_MAX - 1 - end.length)
      .toWellFormed()
      .replace(/\uFFFD$/, "")
      .trimEnd() +
    "…" +
    end
  );
}

/** What a copy is called: " (copy)" before the end of a file's name, or after a name; cut to fit. */
export function nameOfCopy(name: string): string {
  const mark = " (copy)";
  const end = /\.[^.\s]{1,10}$/.exec(name)?.[0] ?? "";
  const start = name.slice(0, name.length - end.length);
  return (
    start
      .slice(0, NAME_MAX - mark.length - end.length)
      .toWellFormed()
      .replace(/\uFFFD$/, "")
      .trimEnd() +
    mark +
    end
  );
}

/** What somebody types to search by, made fit; "" where there is no letter and no digit in it. */
export function wordsOf(text: string): string {
  const words = text.slice(0, SEARCH_MAX).toWellFormed().trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : "";
}

/** Lines of text, without other control characters or halves of characters. */
function isPlainText(text: string): boolean {
  return isPlainLine(text.replaceAll(/[\r\n\t]/g, " "));
}

/** No line breaks, control characters or halves of characters, which neither a list nor a file name can show. */
function isPlainLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}

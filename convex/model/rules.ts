import { REVIEW_NOTE_MAX } from "./review/statuses";
import { z } from "zod";
import { foldTag } from "./search/fold";
import { cleanName, cleanTag, cleanText } from "./names";

/** Enforced by `check` in every mutation. Pure, so that the app's server can derive form attributes from them. */

/** In UTF-16 units, like `maxlength`. */
export const NAME_MAX = 200;

export const TEXT_MAX = 2000;

export const COMMENT_MAX = 5000;

const GUEST_NAME_MAX = 80;

export const TAG_MAX = 40;
export const TAGS_MAX = 20;

export const SEARCH_MAX = 200;

export const PDF_PAGES_MAX = 50;

export const IMAGE_TYPES = [
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "image/avif",
  "image/heic",
  "image/svg+xml",
  "application/pdf",
] as const;

/** In pixels; uploads also limit the area. */
export const IMAGE_SIDE_MAX = 100_000;

/** How long deletions are reported to app servers (milliseconds). A server that was down for longer checks its files at start. */
export const RELEASED_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Lifetime of a grant for an image on an app server that follows revocations (milliseconds). */
export const IMAGE_GRANT_MAX_MS = 15 * 60 * 1000;

export const REVOCATION_RETENTION_MS = 4 * IMAGE_GRANT_MAX_MS;

/** Few enough to delete an image in one transaction and to list its versions in one response. */
export const VERSIONS_MAX = 50;

export const BULK_MAX = 500;

/** Items that a stored selection lists, less than Convex's limit of 8,192 values in an array. */
export const BULK_IDS_MAX = 8000;

const text = z.string().min(1).max(100);
const amount = z.number().positive().max(1e7);

function name(thing: string) {
  return z
    .string({ error: `Enter a name for the ${thing}.` })
    .overwrite(cleanName)
    .min(1, { error: `Enter a name for the ${thing}.` })
    .max(NAME_MAX, { error: `A name can have at most ${NAME_MAX} characters.` })
    .refine(isPlainLine, { error: "A name must be a single line." });
}

export const createProject = z.object({ name: name("project") });
export const renameProject = z.object({ name: name("project") });
export const inviteMember = z.object({
  email: z
    .string()
    .trim()
    .toLowerCase()
    .max(254, { error: "Invalid email" })
    .pipe(z.email({ error: "Invalid email" })),
});
export const nameGuest = z.object({
  name: z
    .string()
    .overwrite(cleanName)
    .min(1, { error: "Enter your name." })
    .max(GUEST_NAME_MAX, { error: `A name can have at most ${GUEST_NAME_MAX} characters.` })
    .refine(isPlainLine, { error: "A name must be a single line." }),
});
export const nameLink = z.object({ name: name("link") });
export const nameAccessToken = z.object({ name: name("access token") });
export const createDesign = z.object({ name: name("design") });
export const renameDesign = z.object({ name: name("design") });
export const renameDesignImage = z.object({ name: name("image") });

const prose = (thing: string) =>
  z
    .string()
    .overwrite(cleanText)
    .max(TEXT_MAX, { error: `A ${thing} can have at most ${TEXT_MAX.toLocaleString("en")} characters.` })
    .refine(isPlainText, { error: `A ${thing} must be plain text.` });

export const bulkIds = z.object({
  ids: z
    .array(z.string())
    .min(1, { error: "Nothing selected." })
    .max(BULK_MAX, { error: `Select at most ${BULK_MAX} items at once.` }),
});

export const describe = z.object({ description: prose("description") });
export const captionImage = z.object({ caption: prose("caption") });

const commentText = z
  .string({ error: "Enter a comment." })
  .overwrite(cleanText)
  .max(COMMENT_MAX, { error: `A comment can have at most ${COMMENT_MAX.toLocaleString("en")} characters.` })
  .refine(isPlainText, { error: "A comment must be plain text." });

export const writeComment = z.object({ text: commentText.min(1, { error: "Enter a comment." }) });
export const writeCommentWithImages = z.object({ text: commentText });

const fraction = z.number().min(0).max(1);
/** A key from a form, so that a repeated form creates nothing again. */
export const chooseKey = z.object({ key: z.string().min(1).max(64) });

export const placeThread = chooseKey.extend({
  anchor: z.object({ x: fraction, y: fraction, width: fraction.optional(), height: fraction.optional() }).optional(),
});

export const tabKey = z.object({ tab: z.string().regex(/^[\w-]{36}$/) });

export const placePointer = z.object({
  pointer: z.object({ x: fraction, y: fraction }).optional(),
  viewport: z.object({ x: fraction, y: fraction, width: fraction, height: fraction }),
});

export const chooseEmoji = z.object({
  emoji: z
    .string()
    .max(40)
    .regex(new RegExp(String.raw`^\p{RGI_Emoji}$`, "v"), { error: "Choose one emoji." }),
});

const reviewNote = z
  .string()
  .overwrite(cleanText)
  .max(REVIEW_NOTE_MAX, { error: `A note can have at most ${REVIEW_NOTE_MAX.toLocaleString("en")} characters.` })
  .refine(isPlainText, { error: "A note must be plain text." });

export const reviewItem = z.object({ note: reviewNote });

const REVIEWERS_MAX = 50;
const DAY = 24 * 60 * 60 * 1000;

/** `dueOn` is a calendar date or empty. Accepts yesterday, which is still today in some time zones. */
export const requestReview = z.object({
  userIds: z
    .array(z.string())
    .min(1, { error: "Choose at least one person." })
    .max(REVIEWERS_MAX, { error: `Choose at most ${REVIEWERS_MAX} people.` }),
  dueOn: z
    .literal("")
    .or(z.iso.date({ error: "Enter a date." }))
    .refine((date) => date === "" || Date.parse(date) > Date.now() - 2 * DAY, { error: "Choose today or a later date." }),
  note: reviewNote,
});

export const addTag = z.object({
  tag: z.string().transform((typed, ctx) => {
    const tags = typed
      .split(",")
      .map((each) => cleanTag(each))
      .filter((each) => each !== "");
    const problem = problemWith(tags);
    if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
    return tags;
  }),
});

/** Most tag assignments per call: each writes a row, and a transaction is limited. */
const TAGGINGS_MAX = 2000;

export const tagMany = bulkIds.extend(addTag.shape).superRefine(({ ids, tag }, ctx) => {
  const most = Math.floor(TAGGINGS_MAX / ids.length);
  if (tag.length <= most) return;
  const message = `With ${ids.length} items selected, you can add at most ${most} tags at once.`;
  ctx.addIssue({ code: "custom", path: ["tag"], message });
});

function problemWith(tags: string[]): string | null {
  if (tags.length === 0) return "Enter a tag.";
  if (tags.length > TAGS_MAX) return `An item can have at most ${TAGS_MAX} tags.`;
  if (tags.some((tag) => tag.length > TAG_MAX)) return `A tag can have at most ${TAG_MAX} characters.`;
  if (!tags.every(isPlainLine)) return "A tag must be a single line.";
  return tags.every((tag) => tagKey(tag) !== "") ? null : "A tag must contain a letter or a digit.";
}

/** Returns "" for a tag without a letter or digit. */
export function tagKey(tag: string): string {
  const key = foldTag(tag.toWellFormed());
  return /[\p{L}\p{N}]/u.test(key) ? key : "";
}

export const imageProperties = z.object({
  contentType: z.enum(IMAGE_TYPES, { error: "This file type is not supported." }),
  size: z.int().positive({ error: "The file is empty." }),
  width: z.int().positive().max(IMAGE_SIDE_MAX),
  height: z.int().positive().max(IMAGE_SIDE_MAX),
  checksum: z.string().regex(/^[0-9a-f]{64}$/, { error: "Not a SHA-256 in hexadecimal." }),
  placeholder: z.base64().min(1).max(128).nullable(),
  animated: z.boolean(),
  page: z.int().positive().max(PDF_PAGES_MAX).optional(),
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

const EXTENSION = /\.[^.\s]{1,10}$/;

/** Keeps the file extension when cutting, and adds a name to an extension that had an invisible one. */
export function nameFromFile(fileName: string): string {
  const line = cleanName(Array.from(fileName.toWellFormed(), (each) => (isPlainLine(each) ? each : " ")).join(""));
  if (line === "") return "Untitled";
  const end = EXTENSION.exec(line)?.[0] ?? "";
  if (!fileName.startsWith(".") && cleanName(line.slice(0, line.length - end.length)) === "") return `Untitled${end}`;
  if (line.length <= NAME_MAX) return line;
  return cutTo(NAME_MAX - 1 - end.length, line) + "…" + end;
}

export const nameOfCopy = (name: string): string => marked(name, " (copy)");

export const nameOfPage = (name: string, page: number): string => marked(name, ` (page ${page})`);

function marked(name: string, mark: string): string {
  const end = EXTENSION.exec(name)?.[0] ?? "";
  const start = name.slice(0, name.length - end.length);
  return cleanName(cutTo(NAME_MAX - mark.length - end.length, start) + mark + end);
}

/** Cleans again, because cutting an emoji flag leaves tag characters. */
function cutTo(length: number, name: string): string {
  return cleanName(
    name
      .slice(0, length)
      .toWellFormed()
      .replace(/\uFFFD$/, ""),
  );
}

function isPlainText(text: string): boolean {
  return isPlainLine(text.replaceAll(/[\r\n\t]/g, " "));
}

function isPlainLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}

import { Busboy, type BusboyConfig } from "@fastify/busboy";

export const FIELDS_MAX = 5000;

/** Excludes brackets and dots, from which conform builds arrays and objects of any length. */
const FIELD_NAME = /^[a-zA-Z][\w-]{0,63}$/;

export class InvalidForm extends Error {
  override name = "InvalidForm";
}

/** Creates the parser for all forms. Emits `InvalidForm` for invalid names and too many fields, for the last field after `finish`. */
export function createFormParser(
  contentType: string,
  { fields = FIELDS_MAX, ...limits }: BusboyConfig["limits"] = {},
  names?: readonly string[],
) {
  // Busboy silently ignores fields above its own limit.
  const parser = busboyFor(contentType, { headerSize: 8 * 1024, parts: FIELDS_MAX + 1, ...limits, fields: fields + 1 });
  let count = 0;
  const check = (name: string | undefined) => {
    const isKnown = name !== undefined && (names?.includes(name) ?? FIELD_NAME.test(name));
    if (!isKnown) parser.destroy(new InvalidForm("A field has an invalid name"));
  };
  parser.on("file", (name, stream) => {
    // When a form ends within a file, the file also emits an error. Without a listener, that would end the process.
    stream.on("error", () => {});
    check(name);
  });
  parser.on("field", (name) => {
    if (++count > fields) parser.destroy(new InvalidForm(`The form has more than ${fields} fields`));
    else check(name);
  });
  return parser;
}

function busboyFor(contentType: string, limits: BusboyConfig["limits"]) {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits });
  } catch (cause) {
    throw new InvalidForm("The content type is not that of a form", { cause });
  }
}

import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import type { z } from "zod";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { FORM_FIELD, INTENT_FIELD } from "./intents";

/** Parses a form. Only known names reach conform, which builds objects from brackets and dots and interprets reserved fields. Throws 400. */
export function parseForm<Schema extends z.ZodObject>(
  sent: FormData,
  schema: Schema,
  otherFields: readonly string[] = [],
): Submission<z.output<Schema>> {
  checkFieldNames(sent, { once: Object.keys(schema.shape), repeated: [INTENT_FIELD, FORM_FIELD, ...otherFields] });
  const fields = new FormData();
  for (const [name, value] of sent) if (!fields.has(name)) fields.append(name, value);
  return parseWithZod(fields, { schema });
}

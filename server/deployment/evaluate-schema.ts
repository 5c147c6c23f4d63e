import * as z from "zod";
import { type Artifact, callDeployment, type Target } from "./push.ts";

const indexSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  fields: z.array(z.string()).optional(),
  change: z.string(),
  needsBackfill: z.boolean(),
  numDocs: z.number(),
});
const tableSchema = z.looseObject({ name: z.string(), outcome: z.string(), numDocs: z.number(), sizeBytes: z.number() });
const evaluationSchema = z.looseObject({
  componentSchemaEvaluations: z.record(z.string(), z.looseObject({ tables: z.array(tableSchema), indexes: z.array(indexSchema) })),
});

type SchemaEvaluation = { tables: z.infer<typeof tableSchema>[]; indexes: z.infer<typeof indexSchema>[] };

/** Returns the changes of a push to the database, without the push. Null if the deployment is too old to report them. */
export async function evaluateSchema(target: Target, artifact: Artifact): Promise<SchemaEvaluation | null> {
  const request = { ...artifact, adminKey: target.adminKey, dryRun: true };
  const answer = await callDeployment(target, "/api/deploy2/evaluate_schema", request, { missing: null });
  const evaluations = answer === null ? null : Object.values(evaluationSchema.parse(answer).componentSchemaEvaluations);
  return (
    evaluations && {
      tables: evaluations.flatMap(({ tables }) => tables),
      indexes: evaluations.flatMap(({ indexes }) => indexes),
    }
  );
}

const SIGNS: Record<string, string> = { added: "+", dropped: "-", enabled: "*", disabled: "*" };

export function describeEvaluation({ tables, indexes }: SchemaEvaluation): string {
  const changes = indexes.flatMap(({ name, type, fields, change, needsBackfill, numDocs }) => {
    const sign = SIGNS[change];
    if (sign === undefined) return [];
    const cost = needsBackfill ? `is built from ${countOf(numDocs)}` : change === "dropped" ? "is deleted" : `is ${change}`;
    return [`  ${sign} ${name} (${fields?.join(", ") ?? type}) ${cost}`];
  });
  const validated = tables
    .filter(({ outcome }) => outcome === "mustWalk")
    .map(({ name, numDocs, sizeBytes }) => `  ${name}: ${countOf(numDocs)}, ${(sizeBytes / 1e6).toFixed(1)} MB`);
  if (changes.length + validated.length === 0) return "The push changes no index and validates no stored documents.";
  return [
    ...(changes.length > 0 ? ["Indexes that would change:", ...changes] : []),
    ...(validated.length > 0 ? ["Tables whose documents would be validated:", ...validated] : []),
  ].join("\n");
}

const countOf = (documents: number): string => `${documents.toLocaleString("en")} document${documents === 1 ? "" : "s"}`;

import { DataTable, ErrorMessage } from "./common.tsx";
import type { Deployment, Json } from "./deployment.ts";
import { useLoaded } from "./hooks.ts";
import { isObject } from "./values.ts";

type TableSchema = {
  tableName: string;
  indexes: { indexDescriptor: string; fields: string[] }[];
  searchIndexes: { indexDescriptor: string; searchField: string; filterFields: string[] }[];
  vectorIndexes?: { indexDescriptor: string; vectorField: string; dimensions: number; filterFields: string[] }[];
  documentType: Json;
};
export type Schema = { tables: TableSchema[]; schemaValidation: boolean };

const tableOf = (schema: Schema | null, table: string): TableSchema | undefined =>
  schema?.tables.find(({ tableName }) => tableName === table);

export const indexesOf = (schema: Schema | null, table: string): TableSchema["indexes"] => tableOf(schema, table)?.indexes ?? [];

export function SchemaPage({ deployment }: { deployment: Deployment }) {
  const { value, error } = useLoaded(deployment, `schema ${deployment.component}`, () =>
    deployment.query<Schema | null>("dashboard/schema"),
  );
  return (
    <>
      <h1>Schema and indexes</h1>
      <ErrorMessage text={error} />
      {value === null && <p>No schema is deployed, so documents are not validated.</p>}
      {value && <p>{value.schemaValidation ? "Documents are validated." : "Documents are not validated (schemaValidation: false)."}</p>}
      {value?.tables.map((table) => (
        <section key={table.tableName}>
          <h2>{table.tableName}</h2>
          <pre>{typeText(table.documentType)}</pre>
          <DataTable
            label={`Indexes of ${table.tableName}`}
            columns={["Index", "Type", "Fields"]}
            rows={indexRows(table)}
            empty="No indexes."
          />
        </section>
      ))}
    </>
  );
}

function indexRows({ indexes, searchIndexes, vectorIndexes = [] }: TableSchema) {
  const filtered = (fields: string[]) => (fields.length === 0 ? "" : `; filters: ${fields.join(", ")}`);
  return [
    ...indexes.map(({ indexDescriptor: name, fields }) => [name, "Database", fields.join(", ")]),
    ...searchIndexes.map(({ indexDescriptor: name, searchField, filterFields }) => [
      name,
      "Text search",
      searchField + filtered(filterFields),
    ]),
    ...vectorIndexes.map(({ indexDescriptor: name, vectorField, dimensions, filterFields }) => [
      name,
      "Vector search",
      `${vectorField} (${dimensions})${filtered(filterFields)}`,
    ]),
  ].map((cells) => ({ key: cells[0] ?? "", cells }));
}

/** Returns a validator (`ValidatorJSON` in the client library) as text that resembles TypeScript. */
export function typeText(validator: Json | undefined, indent = ""): string {
  if (typeof validator === "string") return typeText(JSON.parse(validator), indent);
  if (!isObject(validator)) return "any";
  const { type, value, tableName, values } = validator;
  switch (type) {
    case "object": {
      const fields = isObject(value) ? Object.entries(value) : [];
      const lines = fields.map(([name, field]) => {
        const { fieldType, optional = false } = isObject(field) ? field : {};
        return `${indent}  ${name}${optional === true ? "?" : ""}: ${typeText(fieldType, `${indent}  `)},\n`;
      });
      return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
    }
    case "id":
      return `Id<${JSON.stringify(tableName)}>`;
    case "array":
      return `Array<${typeText(value, indent)}>`;
    case "record":
      return `Record<string, ${typeText(isObject(values) ? values["fieldType"] : undefined, indent)}>`;
    case "union":
      return Array.isArray(value) ? value.map((member) => typeText(member, indent)).join(" | ") : "never";
    case "literal":
      return JSON.stringify(value);
    default:
      return typeof type === "string" ? type : "any";
  }
}

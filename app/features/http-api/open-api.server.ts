import { z } from "zod";
import { type Endpoint, endpoints } from "./endpoints.server";
import {
  commentImageSchema,
  createdSchema,
  designSchema,
  errorSchema,
  imageSchema,
  placeSchema,
  projectSchema,
  replySchema,
  threadSchema,
  uploadSchema,
  versionSchema,
  versionsSchema,
} from "./shapes";

const SCHEMAS = {
  Project: projectSchema,
  Design: designSchema,
  Image: imageSchema,
  Version: versionSchema,
  Versions: versionsSchema,
  CommentImage: commentImageSchema,
  Thread: threadSchema,
  Reply: replySchema,
  Place: placeSchema,
  Created: createdSchema,
  Upload: uploadSchema,
  Error: errorSchema,
};

export function openApiDocument(base: string) {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: refOf });
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  return {
    openapi: "3.1.0",
    info: { title: "Atelier", version: "1", description: "Projects, designs and images for programs. Times are in UTC." },
    servers: [{ url: base }],
    security: [{ accessToken: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutMeta(schema)])),
      securitySchemes: { accessToken: { type: "http", scheme: "bearer", description: "A personal access token of your account" } },
    },
  };
}

const refOf = (id: string): string => `#/components/schemas/${id}`;

function withoutMeta(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !["$schema", "$id", "id"].includes(name)));
}

function operation({ method, path, summary, scope, query, sends, answer }: Endpoint) {
  const parameters = [
    ...(path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : []),
    ...(query ? queryParameters(query) : []),
    ...(sends ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: operationId(method, path),
    summary,
    description: `Requires the permission "${scope}".`,
    ...(parameters.length > 0 && { parameters }),
    ...(sends && {
      requestBody: sends === "files" ? FILES : { required: true, content: { "application/json": { schema: schemaOf(sends) } } },
    }),
    responses: {
      [sends ? 201 : 200]: {
        description: "Success",
        content: answer === "file" ? FILE : { "application/json": { schema: schemaOf(answer) } },
      },
      default: { description: "An error", content: { "application/json": { schema: { $ref: refOf("Error") } } } },
    },
  };
}

const FILE = { "*/*": { schema: { type: "string", format: "binary" } } };
const FILES = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object",
        required: ["files"],
        properties: { files: { type: "array", items: { type: "string", format: "binary" } } },
      },
    },
  },
};
const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "Adds the images only once for repeated requests with the same key and files",
  schema: { type: "string", pattern: "^[\\w-]{8,60}$" },
};

function schemaOf(schema: z.ZodType): unknown {
  const id = Object.entries(SCHEMAS).find(([, each]) => each === schema)?.[0];
  if (id !== undefined) return { $ref: refOf(id) };
  const { $schema: _, $defs: __, ...json } = z.toJSONSchema(schema);
  return JSON.parse(JSON.stringify(json).replaceAll("#/$defs/", refOf("")));
}

function queryParameters(query: z.ZodObject) {
  const { properties = {} } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = typeof property === "object" ? property : {};
    return { name, in: "query", required: false, ...(description !== undefined && { description }), schema };
  });
}

const operationId = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split("/")
    .filter((part) => part !== "")
    .map((part) => (part === "{id}" ? "ById" : part.replaceAll(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())))
    .join("");

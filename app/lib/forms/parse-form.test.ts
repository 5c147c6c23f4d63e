import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseForm } from "./parse-form.server";

const schema = z.object({ email: z.string(), password: z.string().optional() });
const formWith = (...fields: [string, string][]) => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
};
const badRequest = expect.objectContaining({ init: expect.objectContaining({ status: 400 }) });
const thrown = (form: FormData): unknown => {
  try {
    return parseForm(form, schema, ["code"]).status;
  } catch (error) {
    return error;
  }
};

describe("parseForm", () => {
  it("returns the schema's fields", () => {
    const submission = parseForm(
      formWith(["email", "ada@example.com"], ["intent", "i"], ["form", "f"], ["code", "1"], ["code", "2"]),
      schema,
      ["code"],
    );
    expect(submission).toMatchObject({ status: "success", value: { email: "ada@example.com" }, payload: { code: "1" } });
  });

  it("rejects a second value of a field", { tags: "@rejects-second-value-field" }, () => {
    expect(thrown(formWith(["email", "a"], ["email", "b"]))).toEqual(badRequest);
  });

  it("rejects every field that is not listed", { tags: "@rejects-every-field-not-listed" }, () => {
    const names = ["email", "password", "code", "intent", "form"];
    const suffix = fc.constantFrom("", "[]", "[0]", "[4294967294]", ".length", ".a", "]", "[", "[__proto__]", "[constructor]", " ");
    const prefix = fc.constantFrom(...names, "", "__proto__", "constructor", "toString", "__intent__", "__state__");
    const name = fc.oneof(
      fc.tuple(prefix, suffix, suffix).map((parts) => parts.join("")),
      fc.string({ unit: "binary-ascii" }),
    );
    fc.assert(
      fc.property(
        name.filter((each) => !names.includes(each)),
        fc.string(),
        (odd, value) => {
          expect(thrown(formWith(["email", "a"], [odd, value]))).toEqual(badRequest);
        },
      ),
    );
  });

  it.each(["insert", "remove", "reorder", "update", "reset"])("rejects conform's %s command", (type) => {
    const command = JSON.stringify({ type, payload: { name: "email", index: 4_294_967_294, from: 0, to: 4_294_967_294 } });
    expect(thrown(formWith(["email", "a"], ["__intent__", command]))).toEqual(badRequest);
  });
});

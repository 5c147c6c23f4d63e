import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBody } from "./body.server";
import { FIELDS_MAX } from "./form-parser.server";
import { FORM_BYTES, readFormData } from "./form.server";

const ADDRESS = "https://atelier.example/sign-in";
const URLENCODED = "application/x-www-form-urlencoded";

const sent = (body: BodyInit | null, type: string | null) =>
  new Request(ADDRESS, { method: "POST", body, headers: type === null ? {} : { "Content-Type": type } });

function endless(type: string) {
  const counted = { read: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      counted.read += 1;
      controller.enqueue(new Uint8Array(64 * 1024).fill(120));
    },
  });
  const init = { method: "POST", body, headers: { "Content-Type": type }, duplex: "half" };
  return { request: new Request(ADDRESS, init), counted };
}

const statusOf = (thrown: unknown) =>
  typeof thrown === "object" && thrown !== null && "init" in thrown ? Reflect.get(Object(thrown.init), "status") : thrown;
const refusal = (request: Request) => readFormData(request).then(() => null, statusOf);

describe("readFormData", () => {
  it("reads a browser's form once for several calls", async () => {
    const form = new FormData();
    form.set("name", "Ada");
    const multipart = new Request(ADDRESS, { method: "POST", body: form });
    expect((await readFormData(multipart)).get("name")).toBe("Ada");
    expect(await readFormData(multipart)).toBe(await readFormData(multipart));
    expect((await readFormData(sent("name=Ada&name=Eve", `${URLENCODED}; charset=UTF-8`))).getAll("name")).toEqual(["Ada", "Eve"]);
  });

  it("rejects other content types and malformed forms", async () => {
    for (const type of [null, "", "text/plain", "application/json", "application/x-www-form-urlencodedx"])
      expect([type, await refusal(sent("name=Ada", type))]).toEqual([type, 415]);
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=b"])
      expect([type, await refusal(sent("broken", type))]).toEqual([type, 400]);
  });

  it("rejects a file in place of a text field", async () => {
    const form = new FormData();
    form.set("name", "Ada");
    form.set("picture", new File(["x"], "x.png"));
    expect(await refusal(new Request(ADDRESS, { method: "POST", body: form }))).toBe(400);
  });

  it("rejects a form that ends within a file", { tags: "@form-ends-in-file" }, async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="picture"; filename="x.png"\r\n\r\nhalf of i';
    expect(await refusal(sent(part, "multipart/form-data; boundary=b"))).toBe(400);
  });

  it("reads at most the limit, for any declared length", async () => {
    expect(await refusal(sent(`name=${"x".repeat(FORM_BYTES)}`, URLENCODED))).toBe(413);
    for (const type of [URLENCODED, "multipart/form-data; boundary=b"]) {
      const { request, counted } = endless(type);
      expect(await refusal(request)).toBe(413);
      expect(counted.read).toBeLessThan(FORM_BYTES / (64 * 1024) + 4);
    }
  });
});

const encoders: Record<string, (fields: [string, string][]) => Request> = {
  urlencoded: (fields) => new Request(ADDRESS, { method: "POST", body: new URLSearchParams(fields) }),
  multipart(fields) {
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    body.append("last", "");
    return new Request(ADDRESS, { method: "POST", body });
  },
};

const fieldName = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
const fieldValue = fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll(/\r\n|\r|\n/g, "\r\n"));

describe.each(Object.entries(encoders))("the parser of %s forms", (_, encode) => {
  it("returns the names and values that were sent, in their order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fieldName, fieldValue), { maxLength: 10 }), async (fields) => {
        expect([...(await readFormData(encode(fields)))].filter(([name]) => name !== "last")).toEqual(
          fields.filter(([name]) => name !== "last"),
        );
      }),
    );
  });

  it("rejects field names that are not plain words", { tags: "@rejects-field-names-not-plain-words" }, async () => {
    const part = fc.constantFrom("[", "]", ".", "0", "4294967294", "email", "__proto__", "constructor", " ", "%", "é", "");
    const odd = fc.oneof(
      fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("email[4294967294]", "email[]", "a.b", "__intent__", "__state__", "x".repeat(65)),
    );
    await fc.assert(
      fc.asyncProperty(
        odd.filter((name) => name !== "" && !/^[a-zA-Z][\w-]{0,63}$/.test(name)),
        async (name) => {
          expect([
            name,
            await refusal(
              encode([
                ["email", "x"],
                [name, "x"],
              ]),
            ),
          ]).toEqual([name, 400]);
        },
      ),
    );
  });

  it("rejects a form with more than the maximum number of fields", async () => {
    const fields = (count: number) => Array.from({ length: count }, (): [string, string] => ["last", "x"]);
    expect(await refusal(encode(fields(FIELDS_MAX - 1)))).toBeNull();
    expect(await refusal(encode(fields(FIELDS_MAX + 1)))).toBe(400);
  });
});

describe("readBody", () => {
  it("returns a body of exactly the limit, and an empty one", async () => {
    expect((await readBody(sent("12345", "text/plain"), 5))?.byteLength).toBe(5);
    expect(await readBody(sent("123456", "text/plain"), 5)).toBeNull();
    expect((await readBody(new Request(ADDRESS, { method: "POST" }), 5))?.byteLength).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { bodyOf } from "./body.server";
import { FORM_BYTES, formOf } from "./form.server";

const ADDRESS = "https://atelier.example/sign-in";
const URLENCODED = "application/x-www-form-urlencoded";

const sent = (body: BodyInit | null, type: string | null) =>
  new Request(ADDRESS, { method: "POST", body, headers: type === null ? {} : { "Content-Type": type } });

/** A body without a declared length, which goes on for as long as it is read; `read` counts its chunks. */
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
const refusal = (request: Request) => formOf(request).then(() => null, statusOf);

describe("formOf", () => {
  it("reads what browsers send, once however often it is asked for", async () => {
    const form = new FormData();
    form.set("name", "Ada");
    const multipart = new Request(ADDRESS, { method: "POST", body: form });
    expect((await formOf(multipart)).get("name")).toBe("Ada");
    expect(await formOf(multipart)).toBe(await formOf(multipart));
    expect((await formOf(sent("name=Ada&name=Eve", `${URLENCODED}; charset=UTF-8`))).getAll("name")).toEqual(["Ada", "Eve"]);
  });

  it("refuses what is no form, and what is a broken one", async () => {
    for (const type of [null, "", "text/plain", "application/json", "application/x-www-form-urlencodedx"])
      expect([type, await refusal(sent("name=Ada", type))]).toEqual([type, 415]);
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=b"])
      expect([type, await refusal(sent("broken", type))]).toEqual([type, 400]);
  });

  it("reads no more of a body than a form holds, whatever it declares", async () => {
    expect(await refusal(sent(`name=${"x".repeat(FORM_BYTES)}`, URLENCODED))).toBe(413);
    for (const type of [URLENCODED, "multipart/form-data; boundary=b"]) {
      const { request, counted } = endless(type);
      expect(await refusal(request)).toBe(413);
      expect(counted.read).toBeLessThan(FORM_BYTES / (64 * 1024) + 4);
    }
  });
});

describe("bodyOf", () => {
  it("gives a body of just the limit, and an empty one", async () => {
    expect((await bodyOf(sent("12345", "text/plain"), 5))?.byteLength).toBe(5);
    expect(await bodyOf(sent("123456", "text/plain"), 5)).toBeNull();
    expect((await bodyOf(new Request(ADDRESS, { method: "POST" }), 5))?.byteLength).toBe(0);
  });
});

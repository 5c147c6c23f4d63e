import type { RouterContextProvider } from "react-router";
import { describe, expect, it } from "vitest";
import { type Flash, flashMessages, takeFlash, setFlash, setFlashCode } from "./flash.server";
import { answerOf, testConfig } from "../testing";

const ADDRESS = "https://atelier.example/projects";
const request = (headers: HeadersInit = {}, address = ADDRESS) => new Request(address, { headers });
const cookieOf = (response: Response) => response.headers.get("Set-Cookie");
const sentBack = (response: Response) => ({ Cookie: cookieOf(response)?.split(";")[0] ?? "" });

const leading = (text: string) => {
  const inner = (context: RouterContextProvider) => {
    setFlash(context, text);
    return Response.redirect(ADDRESS, 303);
  };
  return answerOf(flashMessages, request(), { inner });
};

async function pageFor(headers: HeadersInit, status = 200, address = ADDRESS) {
  let found: Promise<Flash | null> = Promise.resolve(null);
  const response = await answerOf(
    async (args, next) =>
      flashMessages(args, async () => {
        found = takeFlash(args.request, args.context);
        await found;
        return next();
      }),
    request(headers, address),
    { inner: () => new Response(null, { status }) },
  );
  return { response, flash: await found };
}

describe("a message", () => {
  it("reaches the redirect's target once, with any text", async () => {
    const text = "“Ärger; =,\u{1F4A1}” was deleted";
    const led = await leading(text);
    expect(cookieOf(led)).toMatch(/^flash=[^;]+; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const { response, flash } = await pageFor(sentBack(led));
    expect(flash).toEqual({ id: expect.any(String), text });
    expect(cookieOf(response)).toMatch(/^flash=[^;]*; Max-Age=0; Path=\/;/);
    expect((await pageFor({})).flash).toBeNull();
  });

  it("can be a code for a form of one page, and stays until that page is shown", async () => {
    const inner = (context: RouterContextProvider) => {
      setFlashCode(context, "change-password", "/account/security");
      return Response.redirect(ADDRESS, 303);
    };
    const cookie = sentBack(await answerOf(flashMessages, request(), { inner }));
    const other = await pageFor(cookie);
    expect([other.flash, cookieOf(other.response)]).toEqual([null, null]);
    const { flash, response } = await pageFor(cookie, 200, "https://atelier.example/account/security?tab=1");
    expect(flash).toMatchObject({ text: "", done: "change-password" });
    expect(cookieOf(response)).toMatch(/^flash=[^;]*; Max-Age=0;/);
  });

  it("survives further redirects, also of data requests", async () => {
    const led = await leading("Done");
    for (const status of [302, 202]) {
      const { response, flash } = await pageFor(sentBack(led), status);
      expect(flash?.text).toBe("Done");
      expect(cookieOf(response)).toBeNull();
    }
  });

  it("is consumed only by a page, not by a prefetch or another request", async () => {
    const led = await leading("Done");
    const { response, flash } = await pageFor({ ...sentBack(led), "Sec-Purpose": "prefetch" });
    expect([flash, cookieOf(response)]).toEqual([null, null]);
    expect(cookieOf(await answerOf(flashMessages, request(sentBack(led))))).toBeNull();
  });

  it("is ignored without a valid signature", async () => {
    const forged = `flash=${btoa(JSON.stringify({ id: "1", text: "Your account is in danger" }))}`;
    expect((await pageFor({ Cookie: forged })).flash).toBeNull();
    const foreign = await answerOf(flashMessages, request(), {
      config: { ...testConfig, secret: "another secret of at least thirty-two characters" },
      inner(context) {
        setFlash(context, "Hello");
        return new Response();
      },
    });
    expect((await pageFor(sentBack(foreign))).flash).toBeNull();
  });
});

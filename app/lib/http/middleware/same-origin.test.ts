import { describe, expect, it } from "vitest";
import { sameOrigin } from "./same-origin.server";
import { answerOf, testConfig } from "../testing";

const OWN = "https://atelier.example";
const FOREIGN = "https://evil.example";

const post = (path: string, headers: Record<string, string>, method = "POST") => new Request(OWN + path, { method, headers });
const config = { ...testConfig, trustedOrigins: ["https://trusted.example"] };

describe("sameOrigin", () => {
  it.each([
    ["our own form", "/projects", { Origin: OWN, Cookie: "a=b", "Sec-Fetch-Site": "same-origin" }, 200],
    ["our own form, in a browser without Fetch Metadata", "/projects", { Origin: OWN, Cookie: "a=b" }, 200],
    ["our own form before any cookie", "/sign-in", { Origin: OWN, "Sec-Fetch-Site": "same-origin" }, 200],
    ["a program", "/api/auth/sign-in/email", {}, 200],
    ["another site", "/projects", { Origin: FOREIGN, Cookie: "a=b", "Sec-Fetch-Site": "cross-site" }, 403],
    ["another site, without a cookie", "/sign-in", { Origin: FOREIGN }, 403],
    ["a sibling of our domain", "/projects", { Origin: "https://sub.atelier.example", "Sec-Fetch-Site": "same-site" }, 403],
    ["a sibling that hides its origin", "/projects", { "Sec-Fetch-Site": "same-site" }, 403],
    ["our host on http", "/projects", { Origin: "http://atelier.example", Cookie: "a=b" }, 403],
    ["a look-alike", "/projects", { Origin: `${OWN}.evil.example`, Cookie: "a=b" }, 403],
    ["a sandboxed page", "/projects", { Origin: "null", Cookie: "a=b" }, 403],
    ["a cookie without an origin", "/projects", { Cookie: "a=b" }, 403],
    ["a cookie without an origin, that says same-origin", "/projects", { Cookie: "a=b", "Sec-Fetch-Site": "same-origin" }, 403],
    ["our origin, yet cross-site", "/projects", { Origin: OWN, Cookie: "a=b", "Sec-Fetch-Site": "cross-site" }, 403],
    ["a trusted origin at the auth API", "/api/auth/sign-in/email", { Origin: "https://trusted.example", Cookie: "a=b" }, 200],
    ["a trusted origin elsewhere", "/projects", { Origin: "https://trusted.example", Cookie: "a=b" }, 403],
    ["a provider's post", "/api/auth/callback/apple", { Origin: "https://appleid.apple.com", "Sec-Fetch-Site": "cross-site" }, 200],
    ["a share of the device", "/share", { Origin: "null", Cookie: "a=b", "Sec-Fetch-Site": "none" }, 200],
    ["a share by a form of another site", "/share", { Origin: FOREIGN, "Sec-Fetch-Site": "cross-site" }, 403],
    ["a share by a sandboxed frame", "/share", { Origin: "null", Cookie: "a=b", "Sec-Fetch-Site": "cross-site" }, 403],
    ["the page of shared images", "/share/images", { Origin: "null", Cookie: "a=b", "Sec-Fetch-Site": "none" }, 403],
    ["what only looks like a share", "/share.data", { Origin: FOREIGN }, 403],
    ["what only looks like a callback", "/api/auth/callback/apple/more", { Origin: FOREIGN }, 403],
    ["what only contains a callback", "/projects/api/auth/callback/x", { Origin: FOREIGN }, 403],
  ])("%s", async (_, path, headers: Record<string, string>, status) => {
    expect((await answerOf(sameOrigin, post(path, headers), { config })).status).toBe(status);
  });

  it("answers with an error body at the auth API", async () => {
    const answer = await answerOf(sameOrigin, post("/api/auth/sign-in/email", { Origin: FOREIGN }), { config });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { code: "INVALID_ORIGIN", message: expect.stringContaining("expected a request from https://atelier.example") },
    ]);
  });

  it.each(["PUT", "PATCH", "DELETE"])("guards %s", async (method) => {
    expect((await answerOf(sameOrigin, post("/images/1", { Origin: FOREIGN }, method))).status).toBe(403);
  });

  it("allows safe methods from any origin", async () => {
    expect(
      (await answerOf(sameOrigin, new Request(`${OWN}/projects`, { headers: { "Sec-Fetch-Site": "cross-site", Cookie: "a=b" } }))).status,
    ).toBe(200);
  });

  it("uses the requested host as origin without APP_URL", async () => {
    const local = (Origin: string) => new Request("http://127.0.0.1:3000/projects", { method: "POST", headers: { Origin, Cookie: "a=b" } });
    const config = { ...testConfig, origins: [] };
    expect((await answerOf(sameOrigin, local("http://127.0.0.1:3000"), { config })).status).toBe(200);
    expect((await answerOf(sameOrigin, local("http://127.0.0.1:4000"), { config })).status).toBe(403);
  });
});

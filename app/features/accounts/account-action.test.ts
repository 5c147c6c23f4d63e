import { RouterContextProvider } from "react-router";
import { describe, expect, it } from "vitest";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { authFormAction } from "./account-action.server";
import { signInFields, signUpFields } from "./credentials.server";

function send(fields: Record<string, string>) {
  const context = new RouterContextProvider();
  context.set(configContext, { ...testConfig, origins: [] });
  context.set(clientAddressContext, "192.0.2.1");
  const url = new URL("http://localhost:3000/sign-in");
  const request = new Request(url, { method: "POST", headers: { Origin: url.origin }, body: new URLSearchParams(fields) });
  return authFormAction({ request, context, url }, { schema: signInFields, path: "/sign-in/email", body: (sent) => sent });
}

describe("authFormAction", () => {
  it("returns errors by field and the entered values, but no password", async () => {
    expect(await send({ email: "ada@", password: "", rememberMe: "on" })).toMatchObject({
      data: {
        result: {
          status: "error",
          initialValue: { email: "ada@", rememberMe: "on" },
          error: { email: ["Invalid email"], password: ["Enter your password."] },
        },
      },
      init: { status: 422 },
    });
    expect(JSON.stringify(await send({ email: "ada@", password: "correct horse" }))).not.toContain("correct horse");
  });

  it("keeps the form and sends Retry-After while the deployment does not respond", async () => {
    const answer = await send({ email: "ada@example.com", password: "correct horse" });
    expect(answer).toMatchObject({
      data: { result: { initialValue: { email: "ada@example.com" }, error: { "": [expect.stringContaining("Try again in a moment")] } } },
      init: { status: 503 },
    });
    expect("init" in answer && new Headers(answer.init?.headers).get("Retry-After")).toBe("5");
    expect(JSON.stringify(answer)).not.toContain("correct horse");
  });
});

describe("the rules for a new account", () => {
  const fields = { name: "Ada", email: "ada@example.com", password: "12345678" };
  it.each([
    ["the shortest password", { password: "12345678" }, true],
    ["a shorter one", { password: "1234567" }, false],
    ["the longest password", { password: "x".repeat(128) }, true],
    ["a longer one", { password: "x".repeat(129) }, false],
    ["the longest name", { name: "ż".repeat(200) }, true],
    ["a longer one", { name: "ż".repeat(201) }, false],
    ["a name of spaces", { name: "   " }, false],
    ["an address with spaces around it", { email: " ada@example.com " }, true],
    ["an address without a domain", { email: "ada@example" }, false],
  ])("%s: %j", (_, change, accepted) => {
    expect(signUpFields.safeParse({ ...fields, ...change }).success).toBe(accepted);
  });

  it("keeps spaces in a password", { tags: "@keeps-spaces-password" }, () => {
    expect(signUpFields.parse({ ...fields, password: " 12345678 " }).password).toBe(" 12345678 ");
  });
});

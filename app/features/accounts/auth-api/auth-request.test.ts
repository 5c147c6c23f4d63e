import { RouterContextProvider } from "react-router";
import { expect, it, vi } from "vitest";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { deploymentFetch } from "~/lib/http/unavailable.server";
import { postToAuth } from "./auth-request.server";
import type { authFor } from "./auth.server";

const handler = vi.fn<(request: Request) => Promise<Response>>();

vi.mock("./auth.server", async (original) => ({
  ...(await original<object>()),
  authFor: (): Pick<ReturnType<typeof authFor>, "handler"> => ({ handler }),
}));

it.each([
  ["/sign-out", 503],
  ["/update-user", 200],
] as const)("answers %s with %i when the handler hides a failed call to the deployment", async (path, expected) => {
  handler.mockImplementation(async () => {
    await deploymentFetch("http://127.0.0.1:3").catch(() => null);
    return Response.json({ success: true });
  });
  const context = new RouterContextProvider();
  context.set(configContext, testConfig);
  context.set(clientAddressContext, "192.0.2.1");
  const request = new Request("http://localhost/sign-out", { method: "POST", headers: { Host: "localhost" } });
  const { status } = await postToAuth({ request, context }, path);
  expect(status).toBe(expected);
});

import { ConvexReactClient } from "convex/react";
import { makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { RouterContextProvider } from "react-router";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { connectedConvex, reconnectingConvex } from "~/lib/data/connection/connection";
import { announce } from "~/lib/ui/overlays/announcer";
import { type dismissToast, toast } from "~/lib/ui/overlays/toasts";
import { invalid, unauthenticated } from "#convex/model/errors";
import { intent } from "./intents";
import { liveAction } from "./live-action";

vi.mock("~/lib/data/connection/connection", () => ({
  connectedConvex: vi.fn<typeof connectedConvex>(),
  reconnectingConvex: vi.fn<typeof reconnectingConvex>(),
  lastForm: {},
}));
vi.mock("~/lib/ui/overlays/announcer", () => ({ announce: vi.fn<typeof announce>() }));
vi.mock("~/lib/ui/overlays/toasts", () => ({ toast: vi.fn<typeof toast>(), dismissToast: vi.fn<typeof dismissToast>() }));

const create = makeFunctionReference<"mutation", { name: string }, string>("things:create");
const action = liveAction({
  create: intent({
    mutation: create,
    fields: ["name"],
    args: ({ name }) => ({ name }),
    then: (id) => `/things/${id}`,
    message: { text: "Made" },
  }),
  back: intent({ mutation: create, fields: ["name"], args: ({ name }) => ({ name }), then: () => "/things" }),
  stay: intent({ mutation: create, fields: ["name"], args: ({ name }) => ({ name }), message: { text: "Kept", quietly: true } }),
});

const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
const serverAction = vi.fn<() => Promise<unknown>>();
let mutation: MockInstance<typeof convex.mutation>;

function send(name: string) {
  const body = new FormData();
  for (const [field, value] of [
    ["intent", name],
    ["form", "f1"],
    ["name", "Dawn"],
  ] as const)
    body.append(field, value);
  const request = new Request("http://localhost/things", { method: "POST", body });
  const overHttp = async () => (await serverAction()) as never;
  return action({
    request,
    serverAction: overHttp,
    params: {},
    url: new URL(request.url),
    pattern: "/things",
    context: new RouterContextProvider(),
  });
}

beforeEach(() => {
  vi.stubGlobal("location", { pathname: "/things", search: "" });
  vi.mocked(connectedConvex).mockReturnValue(convex);
  vi.mocked(reconnectingConvex).mockReturnValue(convex);
  for (const said of [announce, toast]) vi.mocked(said).mockReset();
  mutation = vi.spyOn(convex, "mutation").mockResolvedValue("7");
  serverAction.mockReset().mockResolvedValue("the server's answer");
});

const accepted = { form: "f1", result: { status: "success" } };

describe("with a connection", () => {
  it("runs the mutation and redirects", async () => {
    const answer = await send("create");
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/things/7");
    expect(mutation).toHaveBeenCalledWith(create, { name: "Dawn" }, undefined);
    expect(serverAction).not.toHaveBeenCalled();
    expect(toast).toHaveBeenCalledExactlyOnceWith("Made");
  });
  it("stays on the page without a target, or if the page is the target", async () => {
    expect(await send("stay")).toEqual(accepted);
    expect(await send("back")).toEqual(accepted);
    expect(announce).toHaveBeenCalledExactlyOnceWith("Kept");
    expect(toast).not.toHaveBeenCalled();
  });
  it("returns a rejection, follows a redirect and throws a fault", async () => {
    mutation.mockRejectedValueOnce(invalid({ name: ["No."] }));
    expect(await send("create")).toMatchObject({ form: "f1", result: { error: { name: ["No."] } } });
    mutation.mockRejectedValueOnce(new ConvexError({ redirect: "/billing" }));
    const answer = await send("create");
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/billing");
    mutation.mockRejectedValueOnce(new Error("Server Error"));
    await expect(send("create")).rejects.toThrow("Server Error");
    expect(serverAction).not.toHaveBeenCalled();
  });
  it("uses the server when the session has ended", async () => {
    mutation.mockRejectedValueOnce(unauthenticated());
    expect(await send("create")).toBe("the server's answer");
  });
});

describe("without a connection", () => {
  const answers = vi.fn<typeof fetch>();
  beforeEach(() => {
    vi.mocked(connectedConvex).mockReturnValue(null);
    vi.stubGlobal("navigator", { onLine: true });
    vi.stubGlobal("fetch", answers.mockReset().mockResolvedValue(new Response("ok")));
  });

  it("uses the server", async () => {
    expect(await send("create")).toBe("the server's answer");
    expect(mutation).not.toHaveBeenCalled();
    expect(answers).toHaveBeenCalledWith("/readyz", expect.objectContaining({ cache: "no-store" }));
  });
  it("keeps the entered values if there never was a connection", async () => {
    vi.mocked(reconnectingConvex).mockReturnValue(null);
    serverAction.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    expect(await send("create")).toMatchObject({ form: "f1", result: { status: "error", initialValue: { name: "Dawn" } } });
    serverAction.mockRejectedValueOnce(new Error("a fault"));
    await expect(send("create")).rejects.toThrow("a fault");
  });
  it.each([
    ["there is no network", () => vi.stubGlobal("navigator", { onLine: false })],
    ["the server cannot be reached", () => answers.mockRejectedValue(new TypeError("Failed to fetch"))],
    ["something before the server answers", () => answers.mockResolvedValue(new Response("", { status: 502 }))],
    ["the server is there and its deployment is not", () => answers.mockResolvedValue(new Response("", { status: 503 }))],
  ])("waits in the client when %s, and is not sent to the server", async (_, down) => {
    down();
    const answer = await send("create");
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/things/7");
    expect(serverAction).not.toHaveBeenCalled();
  });
  it("does not redirect a user who has left the page", async () => {
    answers.mockRejectedValue(new TypeError("Failed to fetch"));
    mutation.mockImplementationOnce(async () => {
      vi.stubGlobal("location", { pathname: "/billing", search: "" });
      return "7";
    });
    expect(await send("create")).toEqual(accepted);
    expect(toast).toHaveBeenCalledExactlyOnceWith("Made");
  });
});

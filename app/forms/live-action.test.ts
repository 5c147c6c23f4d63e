import { ConvexReactClient } from "convex/react";
import { makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { RouterContextProvider } from "react-router";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { connectedConvex, reconnectingConvex } from "~/data/connection";
import { announce } from "~/ui/announcer";
import { toast } from "~/ui/toasts";
import { invalid, unauthenticated } from "#convex/errors";
import { intent } from "./intents";
import { liveAction } from "./live-action";

vi.mock("~/data/connection", () => ({
  connectedConvex: vi.fn<typeof connectedConvex>(),
  reconnectingConvex: vi.fn<typeof reconnectingConvex>(),
}));
vi.mock("~/ui/announcer", () => ({ announce: vi.fn<typeof announce>() }));
vi.mock("~/ui/toasts", () => ({ toast: vi.fn<typeof toast>() }));

const create = makeFunctionReference<"mutation", { name: string }, string>("things:create");
const action = liveAction({
  create: intent({
    mutation: create,
    fields: ["name"],
    args: (of) => ({ name: of("name") }),
    then: (id) => `/things/${id}`,
    told: { text: "Made" },
  }),
  back: intent({ mutation: create, fields: ["name"], args: (of) => ({ name: of("name") }), then: () => "/things" }),
  stay: intent({ mutation: create, fields: ["name"], args: (of) => ({ name: of("name") }), told: { text: "Kept", quietly: true } }),
});

const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
const serverAction = vi.fn<() => Promise<unknown>>();
/** The client's own, whose answers the tests give. */
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
  // What the server answers is of no type that the action could know.
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
  it("runs the mutation and leads on", async () => {
    const answer = await send("create");
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/things/7");
    expect(mutation).toHaveBeenCalledWith(create, { name: "Dawn" }, undefined);
    expect(serverAction).not.toHaveBeenCalled();
    expect(toast).toHaveBeenCalledExactlyOnceWith("Made");
  });
  it("stays where it is, and where it would lead to where it is", async () => {
    expect(await send("stay")).toEqual(accepted);
    expect(await send("back")).toEqual(accepted);
    expect(announce).toHaveBeenCalledExactlyOnceWith("Kept");
    expect(toast).not.toHaveBeenCalled();
  });
  it("answers a refusal in the form, follows a redirect, and throws a fault", async () => {
    mutation.mockRejectedValueOnce(invalid({ name: ["No."] }));
    expect(await send("create")).toMatchObject({ form: "f1", result: { error: { name: ["No."] } } });
    mutation.mockRejectedValueOnce(new ConvexError({ redirect: "/billing" }));
    const answer = await send("create");
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/billing");
    mutation.mockRejectedValueOnce(new Error("Server Error"));
    await expect(send("create")).rejects.toThrow("Server Error");
    expect(serverAction).not.toHaveBeenCalled();
  });
  it("asks the server when the session has ended", async () => {
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

  it("takes the server's way", async () => {
    expect(await send("create")).toBe("the server's answer");
    expect(mutation).not.toHaveBeenCalled();
    expect(answers).toHaveBeenCalledWith("/readyz", { cache: "no-store" });
  });
  it("keeps what was typed when there never was one, and no network either", async () => {
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
  ])("waits in the client when %s, and is given to nobody else", async (_, down) => {
    down();
    const answer = await send("create");
    expect(answer instanceof Response && answer.headers.get("Location")).toBe("/things/7");
    expect(serverAction).not.toHaveBeenCalled();
  });
  it("calls nobody back who has gone elsewhere meanwhile", async () => {
    answers.mockRejectedValue(new TypeError("Failed to fetch"));
    mutation.mockImplementationOnce(async () => {
      vi.stubGlobal("location", { pathname: "/billing", search: "" });
      return "7";
    });
    expect(await send("create")).toEqual(accepted);
    expect(toast).toHaveBeenCalledExactlyOnceWith("Made");
  });
});

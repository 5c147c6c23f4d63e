import { ConvexReactClient } from "convex/react";
import { makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { RouterContextProvider } from "react-router";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { connectedConvex } from "~/data/browser";
import { invalid, unauthenticated } from "#convex/errors";
import { intent } from "./intents";
import { liveAction } from "./live-action";

vi.mock("~/data/browser", () => ({ connectedConvex: vi.fn<typeof connectedConvex>() }));

const create = makeFunctionReference<"mutation", { name: string }, string>("things:create");
const action = liveAction({
  create: intent({ mutation: create, fields: ["name"], args: (of) => ({ name: of("name") }), then: (id) => `/things/${id}` }),
  back: intent({ mutation: create, fields: ["name"], args: (of) => ({ name: of("name") }), then: () => "/things" }),
  stay: intent({ mutation: create, fields: ["name"], args: (of) => ({ name: of("name") }) }),
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
  });
  it("stays where it is, and where it would lead to where it is", async () => {
    expect(await send("stay")).toEqual(accepted);
    expect(await send("back")).toEqual(accepted);
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
  beforeEach(() => void vi.mocked(connectedConvex).mockReturnValue(null));

  it("takes the server's way", async () => {
    expect(await send("create")).toBe("the server's answer");
    expect(mutation).not.toHaveBeenCalled();
  });
  it("keeps what was typed when there is no network either", async () => {
    serverAction.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    expect(await send("create")).toMatchObject({ form: "f1", result: { status: "error", initialValue: { name: "Dawn" } } });
    serverAction.mockRejectedValueOnce(new Error("a fault"));
    await expect(send("create")).rejects.toThrow("a fault");
  });
});

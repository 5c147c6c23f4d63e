import { ConvexReactClient } from "convex/react";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { connection, reconnectingConvex } from "~/lib/data/connection/connection";
import { toast } from "~/lib/ui/overlays/toasts";
import { limit } from "#convex/model/errors";
import type { CommentImage } from "../attachments/comment-images";
import { type Draft, readDraft, removeDraft, writeDraft } from "./drafts";
import { sendComment, sendStoredComments, type Unsent } from "./outbox";
import { eraseStoredComments, prepareStoredComments } from "./stored-comments";

vi.mock("~/lib/data/connection/connection", () => ({
  connection: vi.fn<typeof connection>(),
  reconnectingConvex: vi.fn<typeof reconnectingConvex>(),
}));
vi.mock("~/lib/ui/overlays/toasts", () => ({ toast: vi.fn<typeof toast>() }));

const ADA = { userId: "ada", name: "Ada" };
const draft: Draft = { text: "Too dark", people: {}, key: "k1", anchor: { x: 0.5, y: 0.25 }, at: Date.now() };
const unsent: Unsent = { place: "image1", draft, text: "Too dark", itemId: "image1", versionId: "v2", versionNumber: 2 };
const sent = { itemId: "image1", text: "Too dark", key: "k1", anchor: { x: 0.5, y: 0.25 }, versionId: "v2" };

const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
let mutation: MockInstance<typeof convex.mutation>;
let storage: Record<string, string>;

beforeEach(() => {
  storage = {};
  const methods = {
    setItem: (key: string, value: string) => void (storage[key] = value),
    removeItem: (key: string) => void delete storage[key],
  };
  vi.stubGlobal("localStorage", new Proxy(storage, { get: (stored, key: string) => Reflect.get(methods, key) ?? stored[key] }));
  vi.mocked(reconnectingConvex).mockReturnValue(convex);
  vi.mocked(connection).mockResolvedValue(convex);
  vi.mocked(toast).mockResolvedValue();
  mutation = vi.spyOn(convex, "mutation").mockResolvedValue("t1");
});

const argsOf = () => mutation.mock.calls.map(([, args]) => args);

describe("a sent comment", () => {
  it("is stored until the server has it", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    mutation.mockReturnValue(promise);
    const sending = sendComment(ADA, unsent);
    expect(prepareStoredComments("ada")).toBe(true);
    resolve("t1");
    await sending;
    expect(argsOf()).toEqual([sent]);
    expect(prepareStoredComments("ada")).toBe(false);
  });

  it("is sent by the next page with the same key, once", async () => {
    mutation.mockReturnValue(new Promise(() => {}));
    void sendComment(ADA, unsent);
    expect(argsOf()).toEqual([sent]);
    sendStoredComments(ADA);
    expect(argsOf()).toEqual([sent]);
    vi.resetModules();
    const next = await import("./outbox");
    mutation.mockResolvedValue("t1");
    next.sendStoredComments(ADA);
    await vi.waitFor(() => expect(prepareStoredComments("ada")).toBe(false));
    expect(argsOf()).toEqual([sent, sent]);
  });

  it("waits for the first connection of a page", async () => {
    vi.mocked(reconnectingConvex).mockReturnValue(null);
    await sendComment(ADA, { place: "t1", draft: { ...draft, key: "k2", anchor: undefined }, text: "Yes", threadId: "t1" });
    expect(argsOf()).toEqual([{ threadId: "t1", text: "Yes", key: "k2" }]);
  });

  it("names its images, and keeps them in a draft without text", async () => {
    const images = [{ _id: "i1", name: "Before", width: 4, height: 3, placeholder: null, animated: false } as CommentImage];
    const withImages: Draft = { ...draft, text: "", images, key: "k4" };
    await sendComment(ADA, { ...unsent, draft: withImages, text: "" });
    expect(argsOf()).toEqual([{ ...sent, text: "", key: "k4", imageIds: ["i1"] }]);
    writeDraft("ada", "image1", { ...withImages, anchor: undefined });
    expect(readDraft("ada", "image1")).toMatchObject({ images });
  });

  it("becomes a draft again when the server rejects it after a reload", async () => {
    storage["comments:ada:unsent:k3"] = JSON.stringify({ ...unsent, draft: { ...draft, key: "k3" } });
    mutation.mockRejectedValue(limit("You are writing too fast."));
    sendStoredComments(ADA);
    await vi.waitFor(() => expect(readDraft("ada", "image1")).toEqual({ ...draft, key: "k3" }));
    expect(prepareStoredComments("ada")).toBe(false);
    expect(toast).toHaveBeenCalledOnce();
  });

  it("is removed when its stored form is damaged", () => {
    storage["comments:ada:unsent:k1"] = "{";
    storage["comments:ada:unsent:k2"] = JSON.stringify({ ...unsent, draft: { text: 7 } });
    sendStoredComments(ADA);
    expect(Object.keys(storage)).toEqual([]);
    expect(mutation).not.toHaveBeenCalled();
  });
});

describe("a draft", () => {
  it("is stored for its person and place, until it is removed or a month old", () => {
    writeDraft("ada", "image1", draft);
    expect(readDraft("ada", "image1")).toEqual(draft);
    expect(readDraft("ada", "image")).toBeNull();
    expect(readDraft("bob", "image1")).toBeNull();
    expect(readDraft("ada", "image1", draft.at + 31 * 24 * 60 * 60_000)).toBeNull();
    expect(Object.keys(storage)).toEqual([]);
    writeDraft("ada", "image1", draft);
    removeDraft("ada", "image1");
    expect(readDraft("ada", "image1")).toBeNull();
  });

  it("is removed when its text is emptied", () => {
    writeDraft("ada", "t1", { ...draft, anchor: undefined });
    writeDraft("ada", "t1", { ...draft, anchor: undefined, text: " " });
    expect(Object.keys(storage)).toEqual([]);
  });

  it("is erased when another user signs in, and at sign-out", () => {
    writeDraft("ada", "image1", draft);
    storage["other"] = "stays";
    expect(prepareStoredComments("bob")).toBe(false);
    expect(Object.keys(storage)).toEqual(["other"]);
    writeDraft("ada", "image1", draft);
    eraseStoredComments();
    expect(Object.keys(storage)).toEqual(["other"]);
  });

  it("is not stored where the browser blocks site data", () => {
    vi.stubGlobal("localStorage", undefined);
    writeDraft("ada", "image1", draft);
    expect([readDraft("ada", "image1"), prepareStoredComments("ada")]).toEqual([null, false]);
    expect(eraseStoredComments).not.toThrow();
  });
});

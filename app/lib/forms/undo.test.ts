// @vitest-environment happy-dom
import { ConvexReactClient } from "convex/react";
import { beforeEach, expect, it, type MockInstance, vi } from "vitest";
import { connectedConvex } from "~/lib/data/connection/connection";
import { dismissToast, toast } from "~/lib/ui/overlays/toasts";
import { conflict, notFound } from "#convex/model/errors";
import { offerStored, offerUndo, undoByForm } from "./undo";

vi.mock("~/lib/data/connection/connection", () => ({ connectedConvex: vi.fn<typeof connectedConvex>() }));
vi.mock("~/lib/ui/overlays/toasts", () => ({ toast: vi.fn<typeof toast>(), dismissToast: vi.fn<typeof dismissToast>() }));

const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
let mutation: MockInstance<typeof convex.mutation>;
const stored = Promise.resolve();
const said = () => vi.mocked(toast).mock.calls.map(([text]) => text);
const reverted = () => mutation.mock.calls.map(([, args]) => Object(args).step);
const press = (keys: Partial<KeyboardEventInit> = {}, target: EventTarget = document.body) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true, cancelable: true, ...keys }));

beforeEach(async () => {
  vi.mocked(connectedConvex).mockReturnValue(convex);
  mutation = vi.spyOn(convex, "mutation").mockResolvedValue(null);
  for (let n = 0; n < 25; n++) press();
  await new Promise(setImmediate);
  await offerUndo({ id: "last", text: "", done: Promise.reject(new Error("not stored")) });
  await new Promise(setImmediate);
  mutation.mockClear();
  vi.mocked(toast).mockReset();
  vi.mocked(dismissToast).mockReset();
});

it("undoes in the reverse order, and redoes in order", async () => {
  for (const id of ["a", "b"]) await offerUndo({ id, text: `${id} renamed`, done: stored });
  expect(said()).toEqual(["a renamed", "b renamed"]);
  press();
  press();
  await vi.waitFor(() => expect(said().slice(2)).toEqual(["Undone: b renamed", "Undone: a renamed"]));
  press({ shiftKey: true });
  press({ shiftKey: true });
  await vi.waitFor(() => expect(reverted()).toEqual(["b", "a", "a", "b"]));
  await vi.waitFor(() => expect(said().at(-1)).toBe("Redone: b renamed"));
});

it("removes the message of a step that is undone or redone by key", { tags: "@undo-removes-message" }, async () => {
  await offerUndo({ id: "a", text: "a renamed", done: stored });
  press();
  await vi.waitFor(() => expect(said()).toHaveLength(2));
  press({ shiftKey: true });
  await vi.waitFor(() => expect(said()).toHaveLength(3));
  const shown = vi.mocked(toast).mock.calls.map(([, action]) => [action?.messageId]);
  expect(new Set(shown.flat()).size).toBe(3);
  expect(vi.mocked(dismissToast).mock.calls).toEqual(shown.slice(0, 2));
});

it("redoes a step once its pending undo has succeeded", { tags: "@redo-before-the-answer" }, async () => {
  const answer = Promise.withResolvers<null>();
  await offerUndo({ id: "a", text: "a renamed", done: stored });
  mutation.mockReturnValueOnce(answer.promise);
  press();
  press({ shiftKey: true });
  answer.resolve(null);
  await vi.waitFor(() => expect(reverted()).toEqual(["a", "a"]));
  await vi.waitFor(() => expect(said().at(-1)).toBe("Redone: a renamed"));
  mutation.mockClear();
  mutation.mockRejectedValueOnce(conflict("“A” was changed."));
  press();
  press({ shiftKey: true });
  await vi.waitFor(() => expect(said()).toContain("“A” was changed."));
  await new Promise(setImmediate);
  expect(reverted()).toEqual(["a"]);
  press();
  press({ shiftKey: true });
  expect(reverted()).toEqual(["a"]);
});

it("undoes one step by its toast", async () => {
  for (const id of ["a", "b"]) await offerUndo({ id, text: id, done: stored });
  vi.mocked(toast).mock.calls[0]?.[1]?.onClick();
  await vi.waitFor(() => expect(reverted()).toEqual(["a"]));
  press();
  await vi.waitFor(() => expect(reverted()).toEqual(["a", "b"]));
});

it("keeps twenty steps and clears redo steps after a new change", async () => {
  for (let n = 0; n < 22; n++) await offerUndo({ id: String(n), text: "", done: stored });
  for (let n = 0; n < 25; n++) press();
  await vi.waitFor(() => expect(reverted()).toHaveLength(20));
  expect(reverted().at(-1)).toBe("2");
  await offerUndo({ id: "new", text: "", done: stored });
  press({ shiftKey: true });
  await new Promise(setImmediate);
  expect(reverted()).toHaveLength(20);
});

it("shows why a step is rejected, and removes it", async () => {
  await offerUndo({ id: "a", text: "", done: stored });
  mutation.mockRejectedValueOnce(conflict("“A” was changed."));
  press();
  await vi.waitFor(() => expect(said()).toContain("“A” was changed."));
  await offerUndo({ id: "b", text: "", done: stored });
  mutation.mockRejectedValueOnce(notFound());
  press();
  await vi.waitFor(() => expect(said()).toContain("No longer possible: the item was deleted."));
  press();
  expect(reverted()).toEqual(["a", "b"]);
});

it("ignores keys in text fields, and keeps a step while offline", async () => {
  const field = document.body.appendChild(document.createElement("textarea"));
  await offerUndo({ id: "a", text: "", done: stored });
  expect(press({}, field)).toBe(true);
  vi.mocked(connectedConvex).mockReturnValue(null);
  press();
  await vi.waitFor(() => expect(said()).toContain("You're offline. Try again when you are connected."));
  const send = vi.fn<(step: string, direction: string) => void>();
  undoByForm(send);
  press();
  await vi.waitFor(() => expect(send).toHaveBeenCalledExactlyOnceWith("a", "undo"));
  undoByForm(null);
  offerStored("a", "Undone", "redo");
  offerStored("a", "Undone", "redo");
  vi.mocked(connectedConvex).mockReturnValue(convex);
  press({ shiftKey: true });
  await vi.waitFor(() => expect(reverted()).toEqual(["a"]));
});

// @vitest-environment happy-dom
import { act } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { createMemoryRouter, useLoaderData, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Thread } from "../optimistic";
import { CommentText } from "../text/comment-text";
import { ThreadList } from "./thread-list";

vi.mock("../text/comment-text", () => ({ CommentText: vi.fn<typeof CommentText>(({ text }) => <p>{text}</p>) }));
vi.mock("../composer/mention-area", () => ({ MentionArea: () => <textarea /> }));

let place: HTMLElement;
let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.mocked(CommentText).mockClear();
  place = document.createElement("div");
  document.body.replaceChildren(place);
});
afterEach(() => act(() => root.unmount()));

function Page() {
  const threads = useLoaderData<Thread[]>();
  return <ThreadList threads={threads} unread={NONE} projectId="p" designId="d" formKey="k" constraint={undefined} />;
}
const NONE = new Set<string>();

const routerOf = (threads: Thread[]) =>
  createMemoryRouter([{ id: "page", path: "/", loader: () => [...threads], element: <Page /> }], {
    hydrationData: { loaderData: { page: [...threads] } },
  });

const threadOf = (id: string) => {
  const author = { userId: "eve", name: "Eve", isMe: true };
  const first = { _id: `comment-${id}`, key: id, text: `Text ${id}`, author, createdAt: 0, isDeleted: false, mentions: [], reactions: [] };
  return { _id: id, replyCount: 0, isResolved: false, isUnread: false, first } as unknown as Thread;
};
const editOf = (id: string) =>
  [...(document.getElementById(`comment-comment-${id}`)?.querySelectorAll("details") ?? [])].find(
    (each) => each.querySelector("summary")?.textContent === "Edit",
  );
const hasForm = (id: string) => editOf(id)?.querySelector("textarea") instanceof HTMLElement;

it("does not render a thread again when another one changes", { tags: "@renders-only-changed-threads" }, async () => {
  const threads = [threadOf("1")];
  const router = routerOf(threads);
  act(() => {
    root = createRoot(place);
    root.render(<RouterProvider router={router} />);
  });
  vi.mocked(CommentText).mockClear();
  threads.unshift(threadOf("2"));
  await act(() => router.revalidate());
  expect(new Set(vi.mocked(CommentText).mock.calls.map(([{ text }]) => text))).toEqual(new Set(["Text 2"]));
});

it("renders the forms of a later thread once they are opened", { tags: "@renders-forms-of-later-threads" }, async () => {
  const threads = [threadOf("1")];
  place.innerHTML = renderToString(<RouterProvider router={routerOf(threads)} />);
  expect(hasForm("1")).toBe(true);
  const router = routerOf(threads);
  act(() => {
    root = hydrateRoot(place, <RouterProvider router={router} />);
  });
  threads.unshift(threadOf("2"));
  await act(() => router.revalidate());
  expect([hasForm("1"), hasForm("2")]).toEqual([true, false]);
  act(() => {
    editOf("2")?.dispatchEvent(new Event("toggle"));
  });
  expect(hasForm("2")).toBe(true);
});

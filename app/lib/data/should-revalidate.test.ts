import { createMemoryRouter } from "react-router";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { connectedConvex, lastForm } from "./connection/connection";
import { liveLayoutRevalidation, liveRevalidation } from "./should-revalidate";

vi.mock("./connection/connection", () => ({ connectedConvex: vi.fn<typeof connectedConvex>(), lastForm: { isOverHttp: false } }));

const page = (path: string) => new URL(path, "http://localhost");
const base = {
  currentUrl: page("/projects/1"),
  currentParams: { id: "1" },
  nextUrl: page("/projects/1"),
  nextParams: { id: "1" },
  defaultShouldRevalidate: true,
};
const elsewhere = { nextUrl: page("/projects/2"), nextParams: { id: "2" } };

describe("with a connection", () => {
  beforeEach(() => void vi.mocked(connectedConvex).mockReturnValue(Object.create(null)));

  it("runs no loader after a form, except for a navigation during it", () => {
    expect(liveRevalidation({ ...base, formMethod: "POST" })).toBe(false);
    expect(liveRevalidation({ ...base, ...elsewhere, formMethod: "POST" })).toBe(true);
    expect(liveLayoutRevalidation({ ...base, ...elsewhere, formMethod: "POST" })).toBe(false);
  });
  it("runs loaders after a form that was sent over HTTP, before the connection", { tags: "@loads-after-http-form" }, () => {
    lastForm.isOverHttp = true;
    expect(liveRevalidation({ ...base, formMethod: "POST" })).toBe(true);
    lastForm.isOverHttp = false;
  });
  it("runs loaders for another page and on request", () => {
    expect(liveRevalidation({ ...base, ...elsewhere })).toBe(true);
    expect(liveRevalidation(base)).toBe(true);
    expect(liveRevalidation({ ...base, formMethod: "GET" })).toBe(true);
  });
  it("runs no loader for an opened dialog, or for a layout on navigation", () => {
    expect(liveRevalidation({ ...base, nextUrl: page("/projects/1?rename=2") })).toBe(false);
    expect(liveLayoutRevalidation({ ...base, ...elsewhere })).toBe(false);
    expect(liveLayoutRevalidation(base)).toBe(true);
  });
});

it("loads the new page when a form ends during the navigation to it", async () => {
  vi.mocked(connectedConvex).mockReturnValue(Object.create(null));
  const answers = new Map<string, PromiseWithResolvers<string>>();
  const router = createMemoryRouter(
    [
      {
        id: "project",
        path: "/projects/:id",
        shouldRevalidate: liveRevalidation,
        loader: ({ params }) => {
          const key = `${params["id"]}`;
          if (key === "1") return key;
          const answer = Promise.withResolvers<string>();
          answers.set(key, answer);
          return answer.promise;
        },
      },
      { path: "/rename", action: () => null },
    ],
    { initialEntries: ["/projects/1"] },
  ).initialize();
  await vi.waitUntil(() => router.state.initialized);
  void router.navigate("/projects/2");
  await vi.waitUntil(() => answers.has("2"));
  const first = answers.get("2");
  const submitted = router.fetch("key", "project", "/rename", { formMethod: "POST", formData: new FormData() });
  await vi.waitUntil(() => answers.get("2") !== first || router.state.navigation.state === "idle");
  answers.get("2")?.resolve("2");
  await submitted;
  await vi.waitUntil(() => router.state.navigation.state === "idle");
  expect([router.state.location.pathname, router.state.loaderData]).toEqual(["/projects/2", { project: "2" }]);
  router.dispose();
});

it("runs no loader after a rejected form, also without a connection", () => {
  vi.mocked(connectedConvex).mockReturnValue(null);
  const rejected = { ...base, formMethod: "POST", actionResult: { form: "id", result: { status: "error" } } } as const;
  expect(liveRevalidation(rejected)).toBe(false);
  expect(liveLayoutRevalidation(rejected)).toBe(false);
  expect(liveRevalidation({ ...rejected, ...elsewhere })).toBe(true);
  expect(liveRevalidation({ ...rejected, actionResult: { ...rejected.actionResult, current: "Theirs" } })).toBe(true);
});

it("uses React Router's default without a connection", () => {
  vi.mocked(connectedConvex).mockReturnValue(null);
  expect(liveRevalidation({ ...base, formMethod: "POST" })).toBe(true);
  expect(liveLayoutRevalidation({ ...base, ...elsewhere, defaultShouldRevalidate: false })).toBe(false);
});

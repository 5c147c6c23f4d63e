// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, Outlet, redirect, RouterProvider, useFetcher } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useSettledFetchers } from "./use-settled-fetchers";

/** The loads of the page that is led to, each of which waits until it is told to go on. */
let loads: (() => void)[];
let close: () => void;

beforeEach(() => {
  loads = [];
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
});
afterEach(() => close());

const loadsAre = (many: number) =>
  act(async () => {
    await expect.poll(() => loads.length).toBe(many);
  });

function Forms({ settled }: { settled: () => void }) {
  settled();
  const [leading, staying] = [useFetcher({ key: "leading" }), useFetcher({ key: "staying" })];
  return (
    <>
      <output>
        {leading.state}, {staying.state}
      </output>
      <button type="button" name="lead" onClick={() => void leading.submit({ to: "/next" }, { method: "post", action: "/forms" })}>
        Lead
      </button>
      <button type="button" name="stay" onClick={() => void staying.submit({ to: "" }, { method: "post", action: "/forms" })}>
        Stay
      </button>
      <Outlet />
    </>
  );
}

/** Sends a form that leads on, and another before the next page is there; both are answered. */
async function bothAnswered(settled: () => void) {
  const router = createMemoryRouter([
    {
      element: <Forms settled={settled} />,
      children: [
        { index: true, element: "here" },
        {
          path: "forms",
          action: async ({ request }) => {
            const to = (await request.formData()).get("to");
            return typeof to === "string" && to !== "" ? redirect(to) : { answered: true };
          },
        },
        { path: "next", element: "there", loader: () => new Promise((go) => loads.push(() => go(null))) },
      ],
    },
  ]);
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  const root = createRoot(place);
  close = () => act(() => root.unmount());
  const press = (name: string) => act(async () => place.querySelector<HTMLButtonElement>(`[name=${name}]`)?.click());
  await act(async () => root.render(<RouterProvider router={router} />));
  await press("lead");
  await loadsAre(1);
  await press("stay");
  await loadsAre(2);
  await act(async () => loads[1]?.());
  await act(async () => {
    await expect.poll(() => place.textContent).toContain("there");
  });
  return () => place.querySelector("output")?.textContent;
}

describe("a form that led on while another was answered first", () => {
  it("is on its way no longer", async () => {
    const states = await bothAnswered(useSettledFetchers);
    await loadsAre(3);
    await act(async () => loads[2]?.());
    await act(async () => {
      await expect.poll(states).toBe("idle, idle");
    });
  });

  it("would be, were it left to React Router: with a release that ends it itself this is needed no more", async () => {
    const states = await bothAnswered(() => {});
    expect(states()).toBe("loading, idle");
  });
});

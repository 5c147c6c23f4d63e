// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, Outlet, redirect, RouterProvider, useFetcher } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

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

function Forms() {
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

async function bothAnswered() {
  const router = createMemoryRouter([
    {
      element: <Forms />,
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

// React Router 8.4 left the first form pending until the next navigation.
it("ends the pending state of a redirecting form when another form is answered first", async () => {
  const states = await bothAnswered();
  await act(async () => {
    await expect.poll(states).toBe("idle, idle");
  });
});

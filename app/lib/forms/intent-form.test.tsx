// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { useFetcher } from "react-router";
import { expect, it, vi } from "vitest";
import type { FormAnswer } from "./form-result";
import { useIntentForm } from "./intent-form";

vi.mock("react-router", async (original) => ({
  ...(await original()),
  useActionData: () => undefined,
  useFetcher: vi.fn<typeof useFetcher>(),
}));

type Fetcher = { state: "idle" | "submitting" | "loading"; data: FormAnswer | undefined };

const rejected = (): FormAnswer => ({ form: "form", result: { status: "error", error: { name: ["Enter a name."] } } });

it("ends the pending state with the rejection, not with the fetcher", { tags: "@rejection-before-idle" }, () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const root = createRoot(document.createElement("div"));
  let form: ReturnType<typeof useIntentForm> | undefined;
  function Form() {
    form = useIntentForm({ id: "form", intent: "renameImage" });
    return null;
  }
  const pendingWith = (fetcher: Fetcher) => {
    vi.mocked(useFetcher, { partial: true }).mockReturnValue(fetcher);
    act(() => root.render(<Form />));
    return form?.pending;
  };
  const send = () => act(() => form?.markSent());

  expect(pendingWith({ state: "idle", data: undefined })).toBe(false);
  send();
  expect(pendingWith({ state: "submitting", data: undefined })).toBe(true);
  const first = rejected();
  for (const state of ["submitting", "loading", "idle"] as const) expect(pendingWith({ state, data: first }), state).toBe(false);
  send();
  expect(pendingWith({ state: "submitting", data: first })).toBe(true);
  expect(pendingWith({ state: "submitting", data: rejected() })).toBe(false);
  act(() => root.unmount());
});

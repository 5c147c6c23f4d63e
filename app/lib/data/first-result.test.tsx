// @vitest-environment happy-dom
import { startTransition, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { useArrival } from "./first-result";

it("keeps the order of hooks when the answer arrives during a render", async () => {
  const recovered: unknown[] = [];
  const place = document.createElement("div");
  const root = createRoot(place, { onRecoverableError: (error) => recovered.push(error) });
  const wanted = vi.fn<() => Promise<void>[]>(() => []).mockReturnValueOnce([Promise.resolve()]);
  function List() {
    useArrival("list", wanted);
    const [rows] = useState(["first", "second"]);
    return useMemo(() => rows.join(" "), [rows]);
  }
  startTransition(() => root.render(<List />));
  await vi.waitFor(() => expect(place.textContent).toBe("first second"));
  expect(recovered).toEqual([]);
  expect(wanted).toHaveBeenCalledOnce();
  root.unmount();
});

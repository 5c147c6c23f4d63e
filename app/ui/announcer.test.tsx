// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { announce, announceBehind, Announcer } from "./announcer";

afterEach(() => vi.useRealTimers());

it("says what comes by itself behind what was said a moment ago, and else instead of it", () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers();
  const place = document.createElement("div");
  const root = createRoot(place);
  const said = (say: () => void) => {
    act(say);
    return place.textContent;
  };
  act(() => root.render(<Announcer />));
  expect(said(() => announce("The end of the list."))).toBe("The end of the list.");
  expect(said(() => announceBehind("More images are shown."))).toBe("The end of the list. More images are shown.");
  expect(said(() => announce("Put down."))).toBe("Put down.");
  vi.advanceTimersByTime(10_000);
  expect(said(() => announceBehind("More images are shown."))).toBe("More images are shown.");
  // The same words twice are said twice.
  expect(said(() => announce("Put down."))).not.toBe(said(() => announce("Put down.")));
  act(() => root.unmount());
});

// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { announce, appendAnnouncement, Announcer } from "./announcer";

afterEach(() => vi.useRealTimers());

it("appends background announcements to a recent one and replaces an old one", () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers();
  const place = document.createElement("div");
  const root = createRoot(place);
  const announcement = (say: () => void) => {
    act(say);
    return place.textContent;
  };
  act(() => root.render(<Announcer />));
  expect(announcement(() => announce("The end of the list."))).toBe("The end of the list.");
  expect(announcement(() => appendAnnouncement("More images are shown."))).toBe("The end of the list. More images are shown.");
  expect(announcement(() => announce("Put down."))).toBe("Put down.");
  vi.advanceTimersByTime(10_000);
  expect(announcement(() => appendAnnouncement("More images are shown."))).toBe("More images are shown.");
  expect(announcement(() => announce("Put down."))).not.toBe(announcement(() => announce("Put down.")));
  act(() => root.unmount());
});

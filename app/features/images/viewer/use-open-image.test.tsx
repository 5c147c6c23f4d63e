// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, it, vi } from "vitest";
import { useOpenImage } from "./use-open-image";

let arrive: () => void;
vi.mock(import("react-router"), async (original) => ({
  ...(await original()),
  useNavigate: () => () => new Promise<void>((resolve) => (arrive = resolve)),
  useLocation: () => ({ pathname: "", search: "", hash: "", key: "", state: null }),
}));

let shown: (string | null)[] = [];
const opens: ((id: string) => void)[] = [];
const open = (id: string) => opens.at(-1)?.(id);

function Page({ imageId }: { imageId: string }) {
  const { targetId, open: own } = useOpenImage("d1", imageId);
  shown.push(targetId ?? imageId);
  opens.push(own);
  return null;
}

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  shown = [];
});

async function mount() {
  const root = createRoot(document.createElement("div"));
  const render = (imageId: string) => act(async () => root.render(<Page imageId={imageId} />));
  await render("one");
  return render;
}

it("shows the requested image until its page is rendered, and never the previous one", async () => {
  const render = await mount();
  await act(async () => open("two"));
  history.replaceState(null, "", "/design/d1/images/two");
  await act(async () => arrive());
  await render("two");
  expect([...new Set(shown)]).toEqual(["one", "two"]);
  expect(shown.lastIndexOf("one")).toBeLessThan(shown.indexOf("two"));
  await render("three");
  expect(shown.at(-1)).toBe("three");
});

it("returns to the page's image when a navigation does not reach the new one", async () => {
  await mount();
  history.replaceState(null, "", "/design/d1/images/one");
  await act(async () => open("two"));
  expect(shown.at(-1)).toBe("two");
  await act(async () => arrive());
  expect(shown.at(-1)).toBe("one");
});

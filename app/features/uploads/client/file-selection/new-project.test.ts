import { ConvexError } from "convex/values";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { connectedConvex, connection } from "~/lib/data/connection/connection";
import { toast } from "~/lib/ui/overlays/toasts";
import { addFiles } from "../lazy-uploader";
import { addToNewProject } from "./new-project";

vi.mock("../lazy-uploader", () => ({ addFiles: vi.fn<() => Promise<void>>(() => Promise.resolve()) }));
vi.mock("~/lib/data/connection/connection", () => ({ connectedConvex: vi.fn<() => unknown>(), connection: vi.fn<() => unknown>() }));
vi.mock("~/lib/ui/overlays/toasts", () => ({ toast: vi.fn<() => Promise<void>>(() => Promise.resolve()) }));

const picture = new File(["x"], "a.png", { type: "image/png" });

describe("images without a project", () => {
  const mutation = vi.fn<(of: unknown, args: { name: string }) => Promise<{ designId: string }>>();
  const navigate = vi.fn<(to: string) => void>();
  const leaving = new Set<unknown>();
  const names = () => mutation.mock.calls.map(([, { name }]) => name);

  beforeEach(() => {
    vi.clearAllMocks();
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 23, 12) });
    vi.stubGlobal("location", { pathname: "/projects" });
    vi.stubGlobal("window", {
      addEventListener: (_: string, listener: unknown) => leaving.add(listener),
      removeEventListener: (_: string, listener: unknown) => leaving.delete(listener),
    });
    mutation.mockResolvedValue({ designId: "d" });
    vi.mocked(connectedConvex).mockReturnValue({ mutation } as never);
  });

  it("get a project named after their folder, or the date", async () => {
    await addToNewProject({ files: [picture], folder: "Autumn" }, navigate);
    await addToNewProject({ files: [picture], folder: null }, navigate);
    expect(names()).toEqual(["Autumn", "23 November 2026"]);
    expect(vi.mocked(addFiles).mock.calls[0]).toEqual([{ designId: "d", designName: "Autumn" }, [picture]]);
    expect(navigate).toHaveBeenCalledWith("/design/d");
  });

  it("get the date as name when the folder's name is not valid", async () => {
    mutation.mockRejectedValueOnce(new ConvexError({ code: "invalid", message: "Invalid", fieldErrors: { name: ["Too long"] } }));
    await addToNewProject({ files: [picture], folder: "x".repeat(250) }, navigate);
    expect(names()[1]).toBe("23 November 2026");
  });

  it("create nothing if no file is an image", async () => {
    await addToNewProject({ files: [new File(["x"], "film.mp4", { type: "video/mp4" })], folder: null }, navigate);
    expect([names(), vi.mocked(addFiles).mock.calls]).toEqual([[], []]);
    expect(vi.mocked(toast).mock.calls.map(([text]) => text)).toEqual([expect.stringContaining("Unsupported file type (video)")]);
  });

  it("wait for the connection, with a message after three seconds", async () => {
    vi.useFakeTimers({ now: new Date(2026, 10, 23, 12) });
    vi.mocked(connectedConvex).mockReturnValue(null);
    const opening = Promise.withResolvers<never>();
    vi.mocked(connection).mockReturnValue(opening.promise);
    const added = addToNewProject({ files: [picture], folder: null }, navigate);
    expect(leaving.size).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(vi.mocked(toast).mock.calls).toEqual([["The connection was lost. Your files are added when it is back."]]);
    opening.resolve({ mutation } as never);
    await added;
    expect([names(), vi.mocked(addFiles).mock.calls.length, leaving.size]).toEqual([["23 November 2026"], 1, 0]);
  });
});

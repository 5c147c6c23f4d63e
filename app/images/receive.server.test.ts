import { createHash } from "node:crypto";
import { mkdtemp, readFile, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ArrivedFile, BrokenOff, NotAForm, receive } from "./receive.server";

const limits = { maxFileBytes: 1000, maxFiles: 5, silenceMs: 200 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "receive-"));
});
afterEach(async () => {
  // Whatever happened, nothing stays: a folder that is not empty cannot be removed so.
  await rmdir(folder);
});

let paths = 0;
const newPath = () => join(folder, String(paths++));
const summary = async ({ index, name, path, tooLarge, digest }: ArrivedFile) => {
  const bytes = await readFile(path);
  expect(digest).toBe(createHash("sha256").update(bytes).digest("hex"));
  return { index, name, tooLarge, text: bytes.toString("latin1", 0, 20) };
};

function formRequest(files: [name: string, content: string][], fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, content] of files) form.append("files", new File([content], name));
  return new Request("http://localhost/uploads", { method: "POST", body: form });
}

/** A body that says something, and then whatever `after` does with it. */
function brokenRequest(after: (controller: ReadableStreamDefaultController<Uint8Array>) => void, signal?: AbortSignal) {
  const part = (name: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${content}`;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`${part("whole.png", "all of it")}\r\n${part("half.png", "the first ha")}`));
      after(controller);
    },
  });
  const init = { method: "POST", body, duplex: "half", signal, headers: { "Content-Type": "multipart/form-data; boundary=x" } };
  return new Request("http://localhost/uploads", init);
}

describe("receive", () => {
  it("hands on each file under its own name, after the fields before it", async () => {
    const fields: string[] = [];
    const request = formRequest(
      [
        ["a b.png", "one"],
        ["ü.jpg", "two"],
      ],
      { sending: "s1" },
    );
    const { results } = await receive(request, limits, {
      newPath,
      onField: (name, value) => fields.push(`${name}=${value}`),
      onFile: summary,
    });
    expect(fields).toEqual(["sending=s1"]);
    expect(results).toEqual([
      { index: 0, name: "a b.png", tooLarge: false, text: "one" },
      { index: 1, name: "ü.jpg", tooLarge: false, text: "two" },
    ]);
  });

  it("hands on files in the form's order, whichever is written first", async () => {
    const order: number[] = [];
    const onFile = async ({ index }: ArrivedFile) => {
      await new Promise((resolve) => setTimeout(resolve, 5 - index));
      order.push(index);
    };
    const files = Array.from({ length: 5 }, (_, index): [string, string] => [`${index}.png`, "x".repeat(900 - index * 200)]);
    await receive(formRequest(files), limits, { newPath, onFile });
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it("goes on after a file that is too large, and takes one that is just not", async () => {
    const request = formRequest([
      ["large", "x".repeat(1001)],
      ["just", "y".repeat(1000)],
      ["small", "z"],
    ]);
    const { results } = await receive(request, limits, { newPath, onFile: summary });
    expect(results.map(({ name, tooLarge }) => [name, tooLarge])).toEqual([
      ["large", true],
      ["just", false],
      ["small", false],
    ]);
  });

  it("takes no more files than it may, and says so", async () => {
    const request = formRequest(Array.from({ length: 7 }, (_, index): [string, string] => [`${index}.png`, "x"]));
    const { results, tooMany } = await receive(request, limits, { newPath, onFile: summary });
    expect(results.map(({ name }) => name)).toEqual(["0.png", "1.png", "2.png", "3.png", "4.png"]);
    expect(tooMany).toBe(true);
  });

  it("ignores a file field in which nothing was chosen", async () => {
    const body =
      '--x\r\nContent-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n';
    const request = new Request("http://localhost/", {
      method: "POST",
      body,
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
    });
    expect((await receive(request, limits, { newPath, onFile: summary })).results).toEqual([]);
  });

  it("leaves folders out of names", async () => {
    const request = formRequest([
      ["../../etc/passwd", "x"],
      ["C:\\pictures\\a.png", "y"],
    ]);
    const { results } = await receive(request, limits, { newPath, onFile: summary });
    expect(results.map(({ name }) => name)).toEqual(["passwd", "a.png"]);
  });

  it("keeps what came whole when the connection breaks off, and says that it did", async () => {
    const arrived: string[] = [];
    const onFile = async ({ name }: ArrivedFile) => void arrived.push(name);
    const broken = brokenRequest((controller) => setTimeout(() => controller.error(new Error("reset")), 20));
    await expect(receive(broken, limits, { newPath, onFile })).rejects.toBeInstanceOf(BrokenOff);
    expect(arrived).toEqual(["whole.png"]);
  });

  it("gives up a line that has fallen silent", async () => {
    const started = performance.now();
    await expect(
      receive(
        brokenRequest(() => {}),
        limits,
        { newPath, onFile: summary },
      ),
    ).rejects.toBeInstanceOf(BrokenOff);
    expect(performance.now() - started).toBeGreaterThan(150);
  });

  it("stops when the request is cancelled", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(
      receive(
        brokenRequest(() => {}, controller.signal),
        { ...limits, silenceMs: 5000 },
        { newPath, onFile: summary },
      ),
    ).rejects.toBeInstanceOf(BrokenOff);
  });

  it("tells a failure of one file's handling once all others are done", async () => {
    const done: string[] = [];
    const onFile = async ({ name }: ArrivedFile) => {
      if (name === "a") throw new Error("not found");
      done.push(name);
    };
    await expect(
      receive(
        formRequest([
          ["a", "1"],
          ["b", "2"],
        ]),
        limits,
        { newPath, onFile },
      ),
    ).rejects.toThrow("not found");
    expect(done).toEqual(["b"]);
  });

  it.each([
    ["another type", { "Content-Type": "application/json" }],
    ["no boundary", { "Content-Type": "multipart/form-data" }],
    ["an empty boundary", { "Content-Type": "multipart/form-data; x=y" }],
  ])("refuses %s", async (_, headers) => {
    const request = new Request("http://localhost/", { method: "POST", body: "{}", headers });
    await expect(receive(request, limits, { newPath, onFile: summary })).rejects.toBeInstanceOf(NotAForm);
  });
});

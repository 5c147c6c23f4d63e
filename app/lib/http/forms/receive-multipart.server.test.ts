import { createHash } from "node:crypto";
import type Fs from "node:fs";
import { mkdtemp, readFile, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DiskFull } from "~/lib/http/disk-full.server";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { type ArrivedFile, UploadAborted, receiveMultipart } from "./receive-multipart.server";

const FULL = "full";
vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>();
  const failing = () =>
    new Writable({
      async write(_chunk, _encoding, done) {
        for (let turn = 0; turn < 50; turn++) await nextTurn();
        done(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
      },
    });
  const createWriteStream: typeof fs.createWriteStream = (path, options) =>
    String(path).endsWith(FULL) ? (failing() as ReturnType<typeof fs.createWriteStream>) : fs.createWriteStream(path, options);
  return { ...fs, createWriteStream };
});

const limits = { names: ["files", "sending"], maxFileBytes: 1000, maxFiles: 5, silenceMs: 200 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "receive-"));
});
afterEach(async () => {
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

function encodeFields(names: string[]) {
  const form = new FormData();
  for (const name of names) form.append(name, "x");
  return new Request("http://localhost/uploads", { method: "POST", body: form });
}

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

describe("receiveMultipart", () => {
  it("reports a full disk even for a completely received file", async () => {
    const received = receiveMultipart(formRequest([["a.png", "small"]]), limits, { newPath: () => join(folder, FULL), onFile: summary });
    await expect(received).rejects.toThrow(DiskFull);
  });

  it("passes each file with its name and the preceding fields", async () => {
    const fields: string[] = [];
    const request = formRequest(
      [
        ["a b.png", "one"],
        ["ü.jpg", "two"],
      ],
      { sending: "s1" },
    );
    const { results } = await receiveMultipart(request, limits, {
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

  it("passes files in the form's order, whichever is written first", async () => {
    const order: number[] = [];
    const onFile = async ({ index }: ArrivedFile) => {
      await new Promise((resolve) => setTimeout(resolve, 5 - index));
      order.push(index);
    };
    const files = Array.from({ length: 5 }, (_, index): [string, string] => [`${index}.png`, "x".repeat(900 - index * 200)]);
    await receiveMultipart(formRequest(files), limits, { newPath, onFile });
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it("continues after a file that is too large, and accepts the maximum", async () => {
    const request = formRequest([
      ["large", "x".repeat(1001)],
      ["just", "y".repeat(1000)],
      ["small", "z"],
    ]);
    const { results } = await receiveMultipart(request, limits, { newPath, onFile: summary });
    expect(results.map(({ name, tooLarge }) => [name, tooLarge])).toEqual([
      ["large", true],
      ["just", false],
      ["small", false],
    ]);
  });

  it("accepts no more files than the maximum and reports it", async () => {
    const request = formRequest(Array.from({ length: 7 }, (_, index): [string, string] => [`${index}.png`, "x"]));
    const { results, tooMany } = await receiveMultipart(request, limits, { newPath, onFile: summary });
    expect(results.map(({ name }) => name)).toEqual(["0.png", "1.png", "2.png", "3.png", "4.png"]);
    expect(tooMany).toBe(true);
  });

  it("ignores a file field without a selection", async () => {
    const body =
      '--x\r\nContent-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n';
    const request = new Request("http://localhost/", {
      method: "POST",
      body,
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
    });
    expect((await receiveMultipart(request, limits, { newPath, onFile: summary })).results).toEqual([]);
  });

  it("removes folders from file names", { tags: "@removes-folders-from-file-names" }, async () => {
    const request = formRequest([
      ["../../etc/passwd", "x"],
      ["C:\\pictures\\a.png", "y"],
    ]);
    const { results } = await receiveMultipart(request, limits, { newPath, onFile: summary });
    expect(results.map(({ name }) => name)).toEqual(["passwd", "a.png"]);
  });

  it("keeps complete files when the connection is lost, and reports it", async () => {
    const arrived: string[] = [];
    const onFile = async ({ name }: ArrivedFile) => void arrived.push(name);
    const broken = brokenRequest((controller) => setTimeout(() => controller.error(new Error("reset")), 20));
    await expect(receiveMultipart(broken, limits, { newPath, onFile })).rejects.toBeInstanceOf(UploadAborted);
    expect(arrived).toEqual(["whole.png"]);
  });

  it.each([
    ["a file", "the first ha"],
    ["the delimiter after a file", "all of it\r\n--"],
  ])("drops a file and reports it when the form ends within %s", async (_, content) => {
    const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`;
    const arrived: string[] = [];
    const onFile = async ({ name }: ArrivedFile) => void arrived.push(name);
    for (const name of ["half.png", ""]) {
      const body = `${part("whole.png")}all of it\r\n${part(name)}${content}`;
      const headers = { "Content-Type": "multipart/form-data; boundary=x" };
      const request = new Request("http://localhost/uploads", { method: "POST", body, headers });
      await expect(receiveMultipart(request, limits, { newPath, onFile })).rejects.toBeInstanceOf(UploadAborted);
    }
    expect(arrived).toEqual(["whole.png", "whole.png"]);
  });

  it("aborts a connection that stays silent", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const ended = vi.fn<(error: unknown) => void>();
      const arrived = Promise.withResolvers<void>();
      const onFile = async () => arrived.resolve();
      const received = receiveMultipart(
        brokenRequest(() => {}),
        limits,
        { newPath, onFile },
      ).catch(ended);
      await arrived.promise;
      await vi.advanceTimersByTimeAsync(limits.silenceMs - 1);
      expect(ended).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      await received;
      expect(ended).toHaveBeenCalledWith(expect.any(UploadAborted));
    } finally {
      vi.useRealTimers();
    }
  });

  it("throws at once when a file cannot be written", async () => {
    const missing = join(folder, "missing", "file");
    const received = receiveMultipart(
      brokenRequest(() => {}),
      { ...limits, silenceMs: 600_000 },
      { newPath: () => missing, onFile: summary },
    );
    await expect(received).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.each(["files[0]", "sending.x", "__proto__", "other"])("rejects a form with a field named %s", async (name) => {
    await expect(receiveMultipart(formRequest([], { [name]: "x" }), limits, { newPath, onFile: summary })).rejects.toBeInstanceOf(
      InvalidForm,
    );
  });

  it("rejects a form with too many text fields", async () => {
    const request = encodeFields(Array.from({ length: 21 }, () => "sending"));
    await expect(receiveMultipart(request, limits, { newPath, onFile: summary })).rejects.toBeInstanceOf(InvalidForm);
  });

  it("stops when the request is cancelled", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(
      receiveMultipart(
        brokenRequest(() => {}, controller.signal),
        { ...limits, silenceMs: 5000 },
        { newPath, onFile: summary },
      ),
    ).rejects.toBeInstanceOf(UploadAborted);
  });

  it("throws the error of one file after all others are done", async () => {
    const done: string[] = [];
    const onFile = async ({ name }: ArrivedFile) => {
      if (name === "a") throw new Error("not found");
      done.push(name);
    };
    await expect(
      receiveMultipart(
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
    await expect(receiveMultipart(request, limits, { newPath, onFile: summary })).rejects.toBeInstanceOf(InvalidForm);
  });

  // With @fastify/busboy 3.2.0, this form hung until the silence limit.
  it("finds no file in a part whose header is cut off by the closing delimiter", async () => {
    const body = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n--b--';
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const request = new Request("http://localhost/", { method: "POST", body, headers });
    expect(await receiveMultipart(request, limits, { newPath, onFile: summary })).toEqual({ results: [], tooMany: false });
  });
});

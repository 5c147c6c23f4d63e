import { createSocket, type Socket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDnsLookup } from "./dns-lookup.server";

let server: Socket;
const questions: string[] = [];
beforeAll(async () => {
  server = createSocket("udp4", (question, { port, address }) => {
    const name = nameIn(question);
    questions.push(name);
    if (name === "answered.example") server.send(answerTo(question), port, address);
  }).bind(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1)
    labels.push(question.toString("latin1", at + 1, at + 1 + (question[at] ?? 0)));
  return labels.join(".");
}

function answerTo(question: Buffer): Buffer {
  const end = 12 + nameIn(question).length + 2 + 4;
  const isA = question.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  for (const [index, count] of [1, isA ? 1 : 0, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * index);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
  return Buffer.concat([header, question.subarray(12, end), ...(isA ? [record] : [])]);
}

function lookupWith(limits: { timeout: number; tries: number }) {
  const resolver = new Resolver(limits);
  const { port } = server.address();
  resolver.setServers([`127.0.0.1:${port}`]);
  const lookup = createDnsLookup(resolver);
  return (name: string) =>
    new Promise<unknown>((resolve, reject) => {
      lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
    });
}

it("resolves a name while many others are not answered", { tags: "@dns-lookup-parallel" }, async () => {
  const lookup = lookupWith({ timeout: 60_000, tries: 1 });
  for (let index = 0; index < 20; index++) void lookup(`silent${index}.example`).catch(() => {});
  expect(await lookup("answered.example")).toEqual([{ address: "192.0.2.7", family: 4 }]);
  expect(new Set(questions).size).toBe(21);
});

it("rejects a name that is not answered in time", async () => {
  await expect(lookupWith({ timeout: 50, tries: 1 })("silent.example")).rejects.toMatchObject({ code: "ETIMEOUT" });
});

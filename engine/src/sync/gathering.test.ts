import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { gathering } from "./gathering.ts";

function recorder() {
  const handedOver: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      handedOver.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      handedOver.push(chunks.map(({ chunk }) => String(chunk)).join(" "));
      done();
    },
  });
  return { socket, handedOver, gather: gathering(socket) };
}

test("what is written in one turn and the next is handed over at once, and what comes later by itself", async () => {
  const { socket, handedOver, gather } = recorder();
  gather();
  socket.write("answer");
  gather();
  socket.write("another");
  // A round of live queries begins with an immediate, like this.
  setImmediate(() => {
    gather();
    socket.write("transition");
  });
  await nextTurn();
  expect(handedOver).toEqual([]);
  await nextTurn();
  await nextTurn();
  expect(handedOver).toEqual(["answer another transition"]);
  gather();
  socket.write("later");
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(handedOver).toEqual(["answer another transition", "later"]);
});

test("a socket that ends or breaks meanwhile loses nothing that was written, and nothing fails", async () => {
  const ended = recorder();
  ended.gather();
  ended.socket.write("last words");
  ended.socket.end();
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(ended.handedOver).toEqual(["last words"]);
  const broken = recorder();
  broken.gather();
  broken.socket.write("unheard");
  broken.socket.destroy();
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(broken.handedOver).toEqual([]);
});

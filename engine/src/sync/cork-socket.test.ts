import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { corkSocket } from "./cork-socket.ts";

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
  return { socket, handedOver, gather: corkSocket(socket) };
}

test("sends writes of two turns at once, and later writes by themselves", async () => {
  const { socket, handedOver, gather } = recorder();
  gather();
  socket.write("answer");
  gather();
  socket.write("another");
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

test("loses no write when the socket ends or fails meanwhile", async () => {
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

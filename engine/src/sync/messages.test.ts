import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../functions/types.ts";
import {
  splitIntoChunks,
  CHUNK_LENGTH,
  modificationText,
  mutationResponseText,
  parseClientMessage,
  ProtocolError,
  queryResult,
  transitionText,
} from "./messages.ts";
import { decodeTimestamp, encodeTimestamp } from "./timestamp.ts";

describe("a client message", () => {
  it("is parsed as the published client writes it", () => {
    const add = { type: "Add", queryId: 3, udfPath: "a:b", args: [{ x: 1 }], journal: undefined };
    const text = JSON.stringify({
      type: "ModifyQuerySet",
      baseVersion: 0,
      newVersion: 1,
      modifications: [add, { type: "Remove", queryId: 1 }],
    });
    expect(parseClientMessage(text)).toEqual({
      type: "ModifyQuerySet",
      baseVersion: 0,
      newVersion: 1,
      modifications: [
        { type: "Add", queryId: 3, udfPath: "a:b", argsText: '{"x":1}', journal: null, componentPath: "" },
        { type: "Remove", queryId: 1 },
      ],
    });
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["an unknown type", '{"type":"Nonsense"}'],
    ["a negative version", '{"type":"Authenticate","baseVersion":-1,"tokenType":"None"}'],
    ["an unknown token type", '{"type":"Authenticate","baseVersion":0,"tokenType":"Magic"}'],
    ["a token that is no text", '{"type":"Authenticate","baseVersion":0,"tokenType":"User","value":7}'],
    ["two arguments", '{"type":"Mutation","requestId":0,"udfPath":"a:b","args":[{},{}]}'],
    ["arguments that are no object", '{"type":"Mutation","requestId":0,"udfPath":"a:b","args":[1]}'],
    ["a function's name that is too long", JSON.stringify({ type: "Mutation", requestId: 0, udfPath: "x".repeat(1_025), args: [{}] })],
    ["a request without a number", '{"type":"Action","requestId":"0","udfPath":"a:b","args":[{}]}'],
    ["an endless session id", JSON.stringify({ type: "Connect", sessionId: "x".repeat(1000) })],
  ])("is refused with %s", (_what, text) => {
    expect(() => parseClientMessage(text)).toThrow(ProtocolError);
  });

  it("makes the parser throw nothing but ProtocolError", () => {
    const types = fc.constantFrom("Connect", "ModifyQuerySet", "Authenticate", "Mutation", "Action", "Event", "toString", "");
    const message = fc.dictionary(
      fc.constantFrom("baseVersion", "newVersion", "modifications", "args", "udfPath", "requestId", "tokenType", "value", "sessionId"),
      fc.jsonValue(),
    );
    const otherFailures = fc.check(
      fc.property(types, message, (type, fields) => {
        try {
          parseClientMessage(JSON.stringify({ ...fields, type }));
          return true;
        } catch (error) {
          return error instanceof ProtocolError;
        }
      }),
    );
    expect(otherFailures).toMatchObject({ failed: false });
  });
});

describe("a message to a client", () => {
  it("passes a value on without parsing it", () => {
    const result = queryResult({ ok: true, value: null, valueText: '{"n":1.0}', logLines: ["[LOG] 'x'"] }, "journal");
    expect(modificationText(5, result)).toBe(
      `{"type":"QueryUpdated","queryId":5,"value":{"n":1.0},"logLines":["[LOG] 'x'"],"journal":"journal"}`,
    );
  });

  it("sends a failure with its data, or without when it has none", () => {
    const failure: Outcome = { ok: false, message: 'a "quoted" text', logLines: [] };
    expect(JSON.parse(mutationResponseText(1, { ...failure, data: { code: 7 } }, 2n))).toEqual({
      type: "MutationResponse",
      requestId: 1,
      success: false,
      result: 'a "quoted" text',
      errorData: { code: 7 },
      logLines: [],
    });
    expect(JSON.parse(mutationResponseText(1, failure, 2n))).not.toHaveProperty("errorData");
  });

  it("splits a long transition into parts that join to the same text", () => {
    const long = "é😀".repeat(CHUNK_LENGTH / 2);
    const parts = [...splitIntoChunks(long, "id")].map((text) => JSON.parse(text));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map((part) => part.partNumber)).toEqual(parts.map((_, i) => i));
    expect(new Set(parts.map((part) => part.totalParts))).toEqual(new Set([parts.length]));
    expect(parts.map((part) => part.chunk).join("") === long).toBe(true);
    expect([...splitIntoChunks("short", "id")]).toEqual(["short"]);
  });

  it("is a transition of valid JSON", () => {
    const version = { querySet: 1, identity: 0, ts: 5n };
    const transition = JSON.parse(transitionText(version, { ...version, ts: 6n }, ['{"type":"QueryRemoved","queryId":1}'], -12));
    expect(transition).toMatchObject({
      type: "Transition",
      startVersion: { ts: encodeTimestamp(5n) },
      endVersion: { ts: encodeTimestamp(6n) },
      clientClockSkew: -12,
    });
  });
});

describe("timestamps", () => {
  it("survive encoding and decoding", () => {
    const survive = fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (ts) => decodeTimestamp(encodeTimestamp(ts)) === ts);
    expect(fc.check(survive)).toMatchObject({ failed: false });
  });

  it("are distinguished from other text", () => {
    for (const text of ["", "AAAA", "not base64!!", "AAAAAAAAAAAAAAAA", "1234567890"]) expect(decodeTimestamp(text)).toBeNull();
  });
});

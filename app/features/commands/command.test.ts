import { expect, test } from "vitest";
import { type Command, matchCommands } from "./command";

const command = (name: string, words: string[] = []): Command => ({ key: name, name, words, kind: "Go to", run: () => undefined });
const COMMANDS = [command("Account", ["picture", "e-mail"]), command("New picture"), command("Pictures of Été"), command("Projects")];
const found = (text: string) => matchCommands(COMMANDS, text).map(({ name }) => name);

test("ranks matches at the name's start, then words of the name, then synonyms", () => {
  expect(found("pic")).toEqual(["Pictures of Été", "New picture", "Account"]);
});

test("matches word prefixes in any order, ignoring accents, case and punctuation", () => {
  expect(found("ETE  pict")).toEqual(["Pictures of Été"]);
  expect(found("e-mail")).toEqual(["Account"]);
});

test("does not match the middle of a word", () => {
  expect(found("icture")).toEqual([]);
});

test("keeps the order for an empty text and for punctuation only", () => {
  expect(found(" … ")).toEqual(COMMANDS.map(({ name }) => name));
});

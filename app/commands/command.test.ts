import { expect, test } from "vitest";
import { type Command, matching } from "./command";

const command = (name: string, words: string[] = []): Command => ({ key: name, name, words, kind: "Go to", run: () => undefined });
const COMMANDS = [command("Account", ["picture", "e-mail"]), command("New picture"), command("Pictures of Été"), command("Projects")];
const found = (text: string) => matching(COMMANDS, text).map(({ name }) => name);

test("the likeliest stands first: by the name's beginning, by its words, by what else it is called", () => {
  expect(found("pic")).toEqual(["Pictures of Été", "New picture", "Account"]);
});

test("each word may be only begun, in any order, without accents, capitals and signs", () => {
  expect(found("ETE  pict")).toEqual(["Pictures of Été"]);
  expect(found("e-mail")).toEqual(["Account"]);
});

test("no word of it is found in the middle of another", () => {
  expect(found("icture")).toEqual([]);
});

test("without a text, or with signs alone, all stand as they stood", () => {
  expect(found(" … ")).toEqual(COMMANDS.map(({ name }) => name));
});

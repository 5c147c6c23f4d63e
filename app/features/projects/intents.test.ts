import type { OptimisticLocalStore } from "convex/browser";
import { type FunctionReference, getFunctionName } from "convex/server";
import { describe, expect, it } from "vitest";
import { isPending } from "~/lib/data/pending";
import { designIntents } from "~/features/designs/intents";
import type { Intent, RunMutation } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import { projectIntents } from "./intents";

function shown(answers: [FunctionReference<"query">, Record<string, string>, unknown][]) {
  const held = answers.map(([query, args, value]) => ({ name: getFunctionName(query), args, value }));
  const at = (query: FunctionReference<"query">, args: unknown) =>
    held.find(({ name, args: own }) => name === getFunctionName(query) && JSON.stringify(own) === JSON.stringify(args));
  const store: Record<keyof OptimisticLocalStore, (...args: never[]) => unknown> = {
    getQuery: (query: FunctionReference<"query">, args: unknown = {}) => at(query, args)?.value,
    getAllQueries: (query: FunctionReference<"query">) => held.filter(({ name }) => name === getFunctionName(query)),
    setQuery(query: FunctionReference<"query">, args: unknown, value: unknown) {
      const found = at(query, args);
      if (found) found.value = value;
    },
  };
  return {
    see: (query: FunctionReference<"query">, args: unknown = {}) => at(query, args)?.value,
    async send(intent: Intent, values: Record<string, string>) {
      const run: RunMutation = (_, args, optimistic) => {
        optimistic?.(store as unknown as OptimisticLocalStore, args);
        return Promise.resolve("1");
      };
      return intent.run(run, values);
    },
  };
}

const project = (_id: string, name: string) => ({ _id, name, updatedAt: 1, designCount: 0, imageCount: 0, cover: [] });
const nameOf = (_id: string, name: string) => ({ _id, name, favourite: false });
const design = (_id: string, name: string) => ({ _id, name, projectId: "p1", updatedAt: 1, imageCount: 0, cover: [] });
const names = (rows: unknown) => (Array.isArray(rows) ? rows.map((row: { name: string }) => row.name) : rows);

describe("optimistic updates of projects", () => {
  const page = () =>
    shown([
      [api.projects.getProjects, {}, [project("p1", "One"), project("p2", "Two")]],
      [api.projects.getNames, {}, [nameOf("p1", "One"), nameOf("p2", "Two")]],
      [api.projects.getProjectById, { id: "p2" }, project("p2", "Two")],
    ]);

  const lists = [api.projects.getProjects, api.projects.getNames];

  it("adds a new project first, without an address", async () => {
    const at = page();
    expect(await at.send(projectIntents.createProject, { name: " Three " })).toBe("/projects/1");
    for (const list of lists) expect(names(at.see(list))).toEqual(["Three", "One", "Two"]);
    const [first] = [at.see(api.projects.getProjects)].flat();
    expect(first).toMatchObject({ designCount: 0, cover: [] });
    expect(typeof first === "object" && first !== null && "_id" in first && isPending(String(first._id))).toBe(true);
  });
  it("moves a renamed project to the top and updates its page title", async () => {
    const at = page();
    await at.send(projectIntents.renameProject, { id: "p2", name: "Second" });
    for (const list of lists) expect(names(at.see(list))).toEqual(["Second", "One"]);
    expect(at.see(api.projects.getProjectById, { id: "p2" })).toMatchObject({ name: "Second" });
  });
  it("removes a deleted project from the list", async () => {
    const at = page();
    expect(await at.send(projectIntents.removeProject, { id: "p1" })).toBe("/projects");
    for (const list of lists) expect(names(at.see(list))).toEqual(["Two"]);
  });
  it("shows nothing for an empty name, which the server will reject", async () => {
    const at = page();
    await at.send(projectIntents.createProject, { name: "  " });
    await at.send(projectIntents.renameProject, { id: "p2", name: "" });
    expect(names(at.see(api.projects.getProjects))).toEqual(["One", "Two"]);
  });
});

describe("optimistic updates of designs", () => {
  const page = () =>
    shown([
      [api.projects.getProjectById, { id: "p1" }, project("p1", "One")],
      [api.designs.getDesignsByProjectId, { projectId: "p1" }, [design("d1", "Cover"), design("d2", "Back")]],
      [api.designs.getDesignsByProjectId, { projectId: "p2" }, [design("d9", "Other")]],
      [api.designs.getDesignById, { id: "d2" }, design("d2", "Back")],
    ]);
  const list = { projectId: "p1" };

  it("creates, renames and deletes designs only in the list of their project", async () => {
    const at = page();
    await at.send(designIntents.createDesign, { projectId: "p1", name: "Spine" });
    expect(names(at.see(api.designs.getDesignsByProjectId, list))).toEqual(["Spine", "Cover", "Back"]);
    await at.send(designIntents.renameDesign, { id: "d2", name: "Rear" });
    expect(names(at.see(api.designs.getDesignsByProjectId, list))).toEqual(["Rear", "Spine", "Cover"]);
    expect(at.see(api.designs.getDesignById, { id: "d2" })).toMatchObject({ name: "Rear" });
    await at.send(designIntents.removeDesign, { id: "d1" });
    expect(names(at.see(api.designs.getDesignsByProjectId, list))).toEqual(["Rear", "Spine"]);
    expect(names(at.see(api.designs.getDesignsByProjectId, { projectId: "p2" }))).toEqual(["Other"]);
  });
});

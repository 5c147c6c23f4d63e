import type { CDPSession, Page } from "@playwright/test";
import { expect } from "../../harness/test.ts";

type Node = {
  nodeId: string;
  parentId?: string;
  ignored: boolean;
  backendDOMNodeId?: number;
  role?: { value?: unknown };
  name?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
};

type TreeSpec = { role: string; name: string | RegExp; within?: TreeSpec };

export async function byTree(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Accessibility.enable");

  const nodes = (): Promise<Node[]> =>
    session.send("Accessibility.getFullAXTree").then(
      (tree) => tree.nodes,
      () => [],
    );

  function matching(all: Node[], { role, name, within }: TreeSpec): Node[] {
    const inside = within && new Set(matching(all, within).map(({ nodeId }) => nodeId));
    const parents = new Map(all.map(({ nodeId, parentId }) => [nodeId, parentId]));
    const isInside = ({ nodeId }: Node) => {
      for (let at = parents.get(nodeId); at !== undefined; at = parents.get(at)) if (inside?.has(at)) return true;
      return false;
    };
    return all.filter((node) => {
      if (node.ignored || node.role?.value !== role) return false;
      const message = textOf(node.name);
      return (typeof name === "string" ? message === name : name.test(message)) && (!inside || isInside(node));
    });
  }

  async function find(wanted: TreeSpec): Promise<number> {
    let found: number | undefined;
    await expect
      .poll(async () => (found = matching(await nodes(), wanted).at(0)?.backendDOMNodeId), { message: JSON.stringify(wanted, onMessage) })
      .toBeDefined();
    return found ?? 0;
  }

  async function on(wanted: TreeSpec, act: string): Promise<void> {
    const { object } = await session.send("DOM.resolveNode", { backendNodeId: await find(wanted) });
    await session.send("Runtime.callFunctionOn", { objectId: object.objectId ?? "", functionDeclaration: act, userGesture: true });
  }

  return {
    async hears(role: string, name: string | RegExp, within?: TreeSpec) {
      await find({ role, name, ...(within && { within }) });
    },
    async misses(role: string, name: string | RegExp) {
      await expect.poll(async () => matching(await nodes(), { role, name }).length).toBe(0);
    },
    press: (role: string, name: string | RegExp, within?: TreeSpec) =>
      on({ role, name, ...(within && { within }) }, "function () { this.click(); }"),
    async type(name: string | RegExp, text: string, within?: TreeSpec) {
      await on({ role: "textbox", name, ...(within && { within }) }, "function () { this.focus(); this.select(); }");
      await page.keyboard.insertText(text);
    },
    async choose(name: string | RegExp, files: string[]) {
      await session.send("DOM.setFileInputFiles", { backendNodeId: await find({ role: "button", name }), files });
    },
    async focus(): Promise<string> {
      const at = (await nodes()).find(
        ({ role, properties }) =>
          role?.value !== "RootWebArea" && properties?.some((each) => each.name === "focused" && each.value.value === true),
      );
      return `${textOf(at?.role)} ${textOf(at?.name)}`;
    },
  };
}

const textOf = (property: { value?: unknown } | undefined) => (typeof property?.value === "string" ? property.value : "");

const onMessage = (_: string, value: unknown) => (value instanceof RegExp ? value.source : value);

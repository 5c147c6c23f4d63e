import type { CDPSession, Page } from "@playwright/test";
import { expect } from "../harness/test.ts";

type Node = {
  nodeId: string;
  parentId?: string;
  ignored: boolean;
  backendDOMNodeId?: number;
  role?: { value?: unknown };
  name?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
};

/** What is looked for: a role and a name, as they are told to whoever does not see the page. */
type Wanted = { role: string; name: string | RegExp; within?: Wanted };

/**
 * Somebody who has nothing of a page but its accessibility tree, as a screen reader or voice control has: finds by role and name, and acts by
 * the action that the tree offers. Neither selectors nor places on the screen are known here.
 */
export async function byTree(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Accessibility.enable");

  /** A page that is just being left has no tree. */
  const nodes = (): Promise<Node[]> =>
    session.send("Accessibility.getFullAXTree").then(
      (tree) => tree.nodes,
      () => [],
    );

  /** All that answer to it, in the order of the tree. */
  function matching(all: Node[], { role, name, within }: Wanted): Node[] {
    const inside = within && new Set(matching(all, within).map(({ nodeId }) => nodeId));
    const parents = new Map(all.map(({ nodeId, parentId }) => [nodeId, parentId]));
    const isInside = ({ nodeId }: Node) => {
      for (let at = parents.get(nodeId); at !== undefined; at = parents.get(at)) if (inside?.has(at)) return true;
      return false;
    };
    return all.filter((node) => {
      if (node.ignored || node.role?.value !== role) return false;
      const told = textOf(node.name);
      return (typeof name === "string" ? told === name : name.test(told)) && (!inside || isInside(node));
    });
  }

  async function find(wanted: Wanted): Promise<number> {
    let found: number | undefined;
    await expect
      .poll(async () => (found = matching(await nodes(), wanted).at(0)?.backendDOMNodeId), { message: JSON.stringify(wanted, told) })
      .toBeDefined();
    return found ?? 0;
  }

  async function on(wanted: Wanted, act: string): Promise<void> {
    const { object } = await session.send("DOM.resolveNode", { backendNodeId: await find(wanted) });
    await session.send("Runtime.callFunctionOn", { objectId: object.objectId ?? "", functionDeclaration: act, userGesture: true });
  }

  return {
    /** Waits until it is told of. */
    async hears(role: string, name: string | RegExp, within?: Wanted) {
      await find({ role, name, ...(within && { within }) });
    },
    /** Waits until nothing of the kind is told of. */
    async misses(role: string, name: string | RegExp) {
      await expect.poll(async () => matching(await nodes(), { role, name }).length).toBe(0);
    },
    /** Does what a control is for. */
    press: (role: string, name: string | RegExp, within?: Wanted) =>
      on({ role, name, ...(within && { within }) }, "function () { this.click(); }"),
    /** Goes to a field and puts text in the place of what is there. */
    async type(name: string | RegExp, text: string, within?: Wanted) {
      await on({ role: "textbox", name, ...(within && { within }) }, "function () { this.focus(); this.select(); }");
      await page.keyboard.insertText(text);
    },
    /** Answers the file chooser that a control opens. */
    async choose(name: string | RegExp, files: string[]) {
      await session.send("DOM.setFileInputFiles", { backendNodeId: await find({ role: "button", name }), files });
    },
    /** Where the focus is told to be. */
    async focus(): Promise<string> {
      const at = (await nodes()).find(
        ({ role, properties }) =>
          role?.value !== "RootWebArea" && properties?.some((each) => each.name === "focused" && each.value.value === true),
      );
      return `${textOf(at?.role)} ${textOf(at?.name)}`;
    },
  };
}

const textOf = (told: { value?: unknown } | undefined) => (typeof told?.value === "string" ? told.value : "");

const told = (_: string, value: unknown) => (value instanceof RegExp ? value.source : value);

import { compareKeys } from "../values/keys.ts";

/** low <= k < high. Equal ranges share one interval. */
export type Interval = {
  readonly low: Uint8Array;
  readonly high: Uint8Array;
  readonly tokens: Set<string>;
};

type Node = Interval & {
  reach: Uint8Array;
  readonly priority: number;
  left: Node | null;
  right: Node | null;
};

/** https://en.wikipedia.org/wiki/Interval_tree#Augmented_tree */
export class IntervalTree {
  private root: Node | null = null;

  get isEmpty(): boolean {
    return this.root === null;
  }

  add(low: Uint8Array, high: Uint8Array, token: string): Interval {
    const existing = this.find(low, high);
    if (existing !== null) {
      existing.tokens.add(token);
      return existing;
    }
    const node: Node = { low, high, tokens: new Set([token]), reach: high, priority: nextPriority(), left: null, right: null };
    this.root = insert(this.root, node);
    return node;
  }

  remove(interval: Interval, token: string): void {
    interval.tokens.delete(token);
    if (interval.tokens.size === 0) this.root = remove(this.root, interval);
  }

  collect(key: Uint8Array, tokens: Set<string>): void {
    collect(this.root, key, tokens);
  }

  private find(low: Uint8Array, high: Uint8Array): Node | null {
    let node = this.root;
    while (node !== null) {
      const order = compareKeys(low, node.low) || compareKeys(high, node.high);
      if (order === 0) return node;
      node = order < 0 ? node.left : node.right;
    }
    return null;
  }
}

function collect(node: Node | null, key: Uint8Array, tokens: Set<string>): void {
  if (node === null || compareKeys(node.reach, key) <= 0) return;
  collect(node.left, key, tokens);
  if (compareKeys(node.low, key) > 0) return;
  if (compareKeys(key, node.high) < 0) for (const token of node.tokens) tokens.add(token);
  collect(node.right, key, tokens);
}

function insert(root: Node | null, node: Node): Node {
  if (root === null) return node;
  if (node.priority > root.priority) {
    [node.left, node.right] = split(root, node);
    return measured(node);
  }
  if (comesBefore(node, root)) root.left = insert(root.left, node);
  else root.right = insert(root.right, node);
  return measured(root);
}

function split(root: Node | null, at: Interval): [Node | null, Node | null] {
  if (root === null) return [null, null];
  if (comesBefore(root, at)) {
    const [before, after] = split(root.right, at);
    root.right = before;
    return [measured(root), after];
  }
  const [before, after] = split(root.left, at);
  root.left = after;
  return [before, measured(root)];
}

function remove(root: Node | null, interval: Interval): Node | null {
  if (root === null) return null;
  if (root === interval) return join(root.left, root.right);
  if (comesBefore(interval, root)) root.left = remove(root.left, interval);
  else root.right = remove(root.right, interval);
  return measured(root);
}

function join(left: Node | null, right: Node | null): Node | null {
  if (left === null) return right;
  if (right === null) return left;
  if (left.priority > right.priority) {
    left.right = join(left.right, right);
    return measured(left);
  }
  right.left = join(left, right.left);
  return measured(right);
}

function measured(node: Node): Node {
  node.reach = node.high;
  for (const child of [node.left, node.right]) {
    if (child !== null && compareKeys(child.reach, node.reach) > 0) node.reach = child.reach;
  }
  return node;
}

function comesBefore(a: Interval, b: Interval): boolean {
  return (compareKeys(a.low, b.low) || compareKeys(a.high, b.high)) < 0;
}

/** Xorshift, because functions may replace the global random source. */
let state = 0x9e3779b9;
function nextPriority(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

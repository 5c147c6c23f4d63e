/**
 * On Convex each call has globals of its own. Here calls share a thread, so what one leaves in the globals is taken out again before later ones
 * come: after each batch of queries and mutations, and whenever no action runs.
 */

/**
 * Remembers this thread's globals, what the pushed code changed when it was loaded included; what it answers puts them back. Those that Node
 * makes when they are first asked for (accessors) are left alone.
 */
export function rememberGlobals(): () => void {
  const known = new Set(Reflect.ownKeys(globalThis));
  const kept: { key: string | symbol; descriptor: PropertyDescriptor }[] = [];
  for (const key of known) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, key);
    if (descriptor && "value" in descriptor && descriptor.configurable) kept.push({ key, descriptor });
  }
  return () => {
    for (const { key, descriptor } of kept)
      if (Reflect.get(globalThis, key) !== descriptor.value) Object.defineProperty(globalThis, key, descriptor);
    const keys = Reflect.ownKeys(globalThis);
    if (keys.length > known.size) for (const key of keys) if (!known.has(key)) Reflect.deleteProperty(globalThis, key);
  };
}

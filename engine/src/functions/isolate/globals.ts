/** On Convex each call has its own globals. Here calls share a thread, so changes are undone after each batch and when no action runs. */

/** Returns a function that restores the globals. Skips accessors, which Node replaces on first use. */
export function saveGlobals(): () => void {
  const initialKeys = new Set(Reflect.ownKeys(globalThis));
  const originals: { key: string | symbol; descriptor: PropertyDescriptor }[] = [];
  for (const key of initialKeys) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, key);
    if (descriptor && "value" in descriptor && descriptor.configurable) originals.push({ key, descriptor });
  }
  return () => {
    for (const { key, descriptor } of originals)
      if (Reflect.get(globalThis, key) !== descriptor.value) Object.defineProperty(globalThis, key, descriptor);
    const keys = Reflect.ownKeys(globalThis);
    if (keys.length > initialKeys.size) for (const key of keys) if (!initialKeys.has(key)) Reflect.deleteProperty(globalThis, key);
  };
}

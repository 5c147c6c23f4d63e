/** Returns the functions that the modules of `convex/` export. */
export async function exportedFunctions() {
  const modules = import.meta.glob<Record<string, unknown>>([
    "../../convex/**/*.ts",
    "!../../convex/**/*.test.ts",
    "!../../convex/_generated/**",
    "!../../convex/auth.config.ts",
    "!../../convex/**/*.d.ts",
  ]);
  const functions = [];
  for (const [path, load] of Object.entries(modules)) {
    for (const [key, value] of Object.entries(await load())) {
      if (typeof value !== "function") continue;
      const type = (["Query", "Mutation", "Action"] as const).find((each) => `is${each}` in value);
      if (type) functions.push({ name: `${path.slice("../../convex/".length, -3)}:${key}`, type, isPublic: "isPublic" in value });
    }
  }
  return functions;
}

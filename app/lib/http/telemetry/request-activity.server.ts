const names = new Set<string>();
const MAX_NAMES = 20;

export function addActivity(name: string): void {
  if (names.size < MAX_NAMES) names.add(name);
}

export function takeActivity(): string[] {
  const recorded = [...names];
  names.clear();
  return recorded;
}

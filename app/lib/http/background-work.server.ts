import type { AppConfig } from "~/config";

const starts = new WeakMap<AppConfig, PromiseWithResolvers<void>>();

function startOf(config: AppConfig): PromiseWithResolvers<void> {
  const start = starts.get(config) ?? Promise.withResolvers<void>();
  starts.set(config, start);
  return start;
}

/** Resolves when scans of stored files may begin: after the start, which they would slow down. */
export const backgroundWork = (config: AppConfig): Promise<void> => startOf(config).promise;

export const beginBackgroundWork = (config: AppConfig): void => startOf(config).resolve();

import { type RunningApp, startApp } from "../../harness/app.ts";
import { type Store, storeOf } from "../../harness/store.ts";
import { test } from "./test.ts";

export function withSettings(settings: Record<string, string>, tests: (fixtures: () => { app: RunningApp; store: Store }) => void): void {
  const title = Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
  test.describe(title, () => {
    let app: RunningApp | undefined;
    let store: Store | undefined;
    test.beforeAll(async ({ social }) => {
      app = await startApp({ ...social.settings, ...settings });
      store = await storeOf(app);
    });
    test.afterAll(() => app?.dispose());
    tests(() => {
      if (!app || !store) throw new Error("The app was not started");
      return { app, store };
    });
  });
}

import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { join } from "node:path";
import { defineConfig } from "vite";
import { chunkGroups } from "./server/build/chunks.ts";

export default defineConfig(({ command }) => ({
  plugins: [tailwindcss(), reactRouter()],
  // tsconfig.json defines `~/…` (app/) and `#convex/…` (convex/).
  resolve: { tsconfigPaths: true },
  // The server passes the settings. Vite must not read the .env.local that Convex's CLI writes.
  envDir: false,
  // `licenses.md` in build/client, build/server and build/processes has the licences of the bundled libraries.
  build: { target: "es2023", reportCompressedSize: false, license: { fileName: "licenses.md" } },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: { groups: chunkGroups(join(import.meta.dirname, "app")) },
          },
        },
      },
    },
    // The entry exports `createApp(config)`, which the server process calls with its settings.
    ssr: {
      build: { rolldownOptions: { input: "./app/server.ts" } },
      // One file loads four times as fast as 1,700 modules. sharp loads a native library from its own folder.
      resolve: command === "build" ? { noExternal: true, external: ["sharp"] } : {},
    },
  },
}));

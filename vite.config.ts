import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { join } from "node:path";
import { defineConfig } from "vite";
import { chunkNames } from "./server/build/chunks.ts";

export default defineConfig(({ command }) => ({
  plugins: [tailwindcss(), reactRouter()],
  // `~/…` is app/, `#convex/…` is convex/: said once, in tsconfig.json.
  resolve: { tsconfigPaths: true },
  // The app takes its settings from the server; the .env.local that the Convex command line writes is not for it.
  envDir: false,
  build: { target: "es2023", reportCompressedSize: false },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: { groups: [{ name: chunkNames(join(import.meta.dirname, "app")), debugName: "pages" }] },
          },
        },
      },
    },
    // `createApp(config)` is the build's entry: the server process around it gives it its settings.
    ssr: {
      build: { rolldownOptions: { input: "./app/server.ts" } },
      // One file is imported four times as fast as 1,700 modules. sharp loads a native library from its own folder.
      resolve: command === "build" ? { noExternal: true, external: ["sharp"] } : {},
    },
  },
}));

import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
  // `~/…` is app/, `#convex/…` is convex/: said once, in tsconfig.json.
  resolve: { tsconfigPaths: true },
  // The app takes its settings from the server; the .env.local that the Convex command line writes is not for it.
  envDir: false,
  build: { target: "es2023", reportCompressedSize: false },
  environments: {
    // `createApp(config)` is the build's entry: the server process around it gives it its settings.
    ssr: { build: { rolldownOptions: { input: "./app/server.ts" } } },
  },
});

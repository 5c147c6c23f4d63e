import { enableCompileCache } from "node:module";
import { sharedCompileCache } from "@atelier/engine/compile-cache";

// Must run before other imports, because Node would strip the types of their modules at each start.
const folder = sharedCompileCache();
if (folder !== null) enableCompileCache(folder);

import { enableCompileCache } from "node:module";
import { sharedCompileCache } from "@atelier/engine/compile-cache";

// Before other modules are imported, whose types Node would strip at each start.
const folder = sharedCompileCache();
if (folder !== null) enableCompileCache(folder);

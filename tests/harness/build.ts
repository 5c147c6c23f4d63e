import { ensureBuilt } from "../../server/build/ensure.ts";

/** Playwright's global setup: the tests drive the built app, so that it must be there and up to date. */
export default ensureBuilt;

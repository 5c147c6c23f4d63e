/** The embedded deployment's process (`embedded.ts`). */
import "@atelier/engine/main";

import type { Execution } from "./run.ts";
import type { Services } from "./syscalls.ts";

/** What is on at this moment: the execution whose code runs, unless the engine's own code has taken over. */
export class Stage {
  execution: Execution | null = null;
  inSyscall = false;
  #services: Services | null = null;

  moment(): Execution | undefined {
    return this.inSyscall ? undefined : (this.execution ?? undefined);
  }

  provide(services: Services): void {
    this.#services = services;
  }

  services(): Services {
    if (!this.#services) throw new Error("Convex's database and other services cannot be used while modules are loaded.");
    return this.#services;
  }
}

import type { Execution } from "../transactor/run-function.ts";
import type { Services } from "./syscalls.ts";

export class CurrentExecution {
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

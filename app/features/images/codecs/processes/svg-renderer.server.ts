import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import * as z from "zod";
// oxlint-disable-next-line import/default -- Vite makes one of the text of a file
import source from "./svg-process.js?raw";

export class SvgRenderError extends Error {
  override name = "SvgRenderError";
  readonly problem: "broken" | "memory" | "time";

  constructor(problem: SvgRenderError["problem"]) {
    super(`The drawing could not be rendered (${problem}).`);
    this.problem = problem;
  }
}

export type SvgRenderer = {
  measure(svg: Buffer): Promise<{ width: number; height: number; spent: number }>;
  /** `density` is dots per inch; `spent` is earlier CPU time for the same drawing in ms. */
  draw(svg: Buffer, density: number, spent?: number): Promise<Buffer>;
};

const answers = z.union([
  z.object({ problem: z.enum(["broken", "memory", "time"]) }),
  z.object({ format: z.literal("svg"), width: z.number(), height: z.number(), spent: z.number() }),
  z.object({ png: z.instanceof(Uint8Array) }),
]);
type Answer = z.infer<typeof answers>;

const IDLE = 15_000;
/** On a busy machine, a second of CPU time takes several seconds. */
export const WALL_CLOCK_PER_CPU = 6;

/** Draws SVG in killable processes. Throws `SvgRenderError`. `cpuLimit`: ms; `memoryLimit`: bytes; `clock`: wall-clock per CPU time. */
export function createSvgRenderer({
  cpuLimit,
  memoryLimit,
  clock = WALL_CLOCK_PER_CPU,
}: {
  cpuLimit: number;
  memoryLimit: number;
  clock?: number;
}): SvgRenderer {
  const idle = new Set<ChildProcess>();

  function start(): ChildProcess {
    const sharp = createRequire(import.meta.url).resolve("sharp");
    // The child gets no environment, since ours contains secrets.
    const child = spawn(
      process.execPath,
      ["--max-old-space-size=64", "--input-type=module", "-e", source, sharp, String(memoryLimit), String(cpuLimit)],
      {
        env: {},
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        serialization: "advanced",
      },
    );
    child.once("exit", () => idle.delete(child));
    child.on("error", () => undefined);
    return child;
  }

  function release(child: ChildProcess): void {
    idle.add(child);
    child.unref();
    child.channel?.unref();
    const end = setTimeout(() => idle.has(child) && child.kill("SIGKILL"), IDLE).unref();
    child.once("taken", () => clearTimeout(end));
  }

  function acquire(): ChildProcess {
    const [child] = idle;
    if (!child) return start();
    idle.delete(child);
    child.emit("taken");
    child.ref();
    child.channel?.ref();
    return child;
  }

  async function sendRequest(question: { svg: Buffer; density?: number; spent?: number }): Promise<Answer> {
    const child = acquire();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onMessage = (message: unknown) => {
      const answer = answers.safeParse(message);
      if (!answer.success) return reject(new SvgRenderError("broken"));
      if ("problem" in answer.data && answer.data.problem !== "broken") return reject(new SvgRenderError(answer.data.problem));
      resolve(answer.data);
    };
    // librsvg aborts its process when memory is refused.
    const onExit = () => reject(new SvgRenderError("memory"));
    const timer = setTimeout(() => reject(new SvgRenderError("time")), clock * cpuLimit);
    child.once("message", onMessage);
    child.once("exit", onExit);
    child.once("error", onExit);
    try {
      child.send(question, (error) => error && onExit());
      const answer = await promise;
      release(child);
      if ("problem" in answer) throw new SvgRenderError(answer.problem);
      return answer;
    } catch (error) {
      if (!idle.has(child)) child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit).off("error", onExit);
    }
  }

  return {
    async measure(svg) {
      const answer = await sendRequest({ svg });
      if (!("format" in answer)) throw new SvgRenderError("broken");
      return { width: answer.width, height: answer.height, spent: answer.spent };
    },
    async draw(svg, density, spent = 0) {
      const answer = await sendRequest({ svg, density, spent });
      if (!("png" in answer)) throw new SvgRenderError("broken");
      return Buffer.from(answer.png);
    },
  };
}

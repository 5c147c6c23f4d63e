import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import * as z from "zod";
// oxlint-disable-next-line import/default -- Vite makes one of the text of a file
import source from "./drawing-process.js?raw";

/** Why a drawing could not be drawn. */
export class DrawingError extends Error {
  override name = "DrawingError";
  readonly problem: "broken" | "memory" | "time";

  constructor(problem: DrawingError["problem"]) {
    super(`The drawing could not be drawn (${problem}).`);
    this.problem = problem;
  }
}

export type Drawer = {
  /** The drawing's own size, in its units. */
  measure(svg: Buffer): Promise<{ width: number; height: number }>;
  /** Draws it at so many dots per inch (`drawingDensity`), as a PNG. */
  draw(svg: Buffer, density: number): Promise<Buffer>;
};

const answers = z.union([
  z.object({ problem: z.enum(["broken", "memory", "time"]) }),
  z.object({ format: z.literal("svg"), width: z.number(), height: z.number() }),
  z.object({ png: z.instanceof(Uint8Array) }),
]);
type Answer = z.infer<typeof answers>;

/** A process that has nothing to do for so long, in ms, is ended. */
const IDLE = 15_000;
/** On a machine that has others at work as well a second's computing takes several. */
const CLOCK = 6;

/**
 * Drawings (SVG) are drawn in processes of their own, one at a time in each: a drawing of a few hundred bytes can take any time and any memory, and
 * nothing but the end of its process stops it. How many there are at a time is up to who asks (`decoding`).
 *
 * @param patience how long one may be computed for, in ms, whatever else the machine has to do; it is ended by the clock after `clock` times as long
 * @param ceiling how much memory its process may have, in bytes
 * @throws DrawingError, from both functions
 */
export function createDrawer({ patience, ceiling, clock = CLOCK }: { patience: number; ceiling: number; clock?: number }): Drawer {
  const idle = new Set<ChildProcess>();

  function start(): ChildProcess {
    const sharp = createRequire(import.meta.url).resolve("sharp");
    // Without our environment, which holds secrets; and its own words are nobody's.
    const child = spawn(
      process.execPath,
      ["--max-old-space-size=64", "--input-type=module", "-e", source, sharp, String(ceiling), String(patience)],
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

  function rest(child: ChildProcess): void {
    idle.add(child);
    child.unref();
    child.channel?.unref();
    const end = setTimeout(() => idle.has(child) && child.kill("SIGKILL"), IDLE).unref();
    child.once("taken", () => clearTimeout(end));
  }

  function take(): ChildProcess {
    const [child] = idle;
    if (!child) return start();
    idle.delete(child);
    child.emit("taken");
    child.ref();
    child.channel?.ref();
    return child;
  }

  async function ask(question: { svg: Buffer; density?: number }): Promise<Answer> {
    const child = take();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const told = (message: unknown) => {
      const answer = answers.safeParse(message);
      if (!answer.success) return reject(new DrawingError("broken"));
      // It ends itself then.
      if ("problem" in answer.data && answer.data.problem !== "broken") return reject(new DrawingError(answer.data.problem));
      resolve(answer.data);
    };
    // It died of what it drew: librsvg ends its process where memory is refused.
    const gone = () => reject(new DrawingError("memory"));
    const late = setTimeout(() => reject(new DrawingError("time")), clock * patience);
    child.once("message", told);
    child.once("exit", gone);
    child.once("error", gone);
    try {
      child.send(question, (error) => error && gone());
      const answer = await promise;
      rest(child);
      if ("problem" in answer) throw new DrawingError(answer.problem);
      return answer;
    } catch (error) {
      if (!idle.has(child)) child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(late);
      child.off("message", told).off("exit", gone).off("error", gone);
    }
  }

  return {
    async measure(svg) {
      const answer = await ask({ svg });
      if (!("format" in answer)) throw new DrawingError("broken");
      return { width: answer.width, height: answer.height };
    },
    async draw(svg, density) {
      const answer = await ask({ svg, density });
      if (!("png" in answer)) throw new DrawingError("broken");
      return Buffer.from(answer.png);
    },
  };
}

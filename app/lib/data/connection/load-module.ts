import { reachServer } from "./reach-server";

const ADDRESS = /https?:\/\/\S+\.js/;

/** Imports a module. After a failure, imports it from another URL, because Chromium never retries one. Throws an error with a text to show. */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    await reachServer();
    return await load().catch((error: unknown) => loadAgain<Module>(error));
  } catch (error) {
    throw new Error("The connection was lost. Try again when it is back.", { cause: error });
  }
}

async function loadAgain<Module>(error: unknown): Promise<Module> {
  const [address] = ADDRESS.exec(String(error)) ?? [];
  if (address === undefined) throw error;
  return (await import(/* @vite-ignore */ `${address}?again=${Date.now()}`)) as Module;
}

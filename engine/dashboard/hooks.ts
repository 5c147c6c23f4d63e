import { useCallback, useEffect, useRef, useState } from "react";
import { type Deployment, errorText } from "./deployment.ts";

const POLL_MS = 2_000;

export type Loaded<T> = { value: T | undefined; error: string | null; reload: () => void };

/** Loads a value, and again after each commit while the page is visible. `key` names what is loaded. */
export function useLoaded<T>(deployment: Deployment, key: string, load: () => Promise<T>, { everyTime = false } = {}): Loaded<T> {
  const [state, setState] = useState<{ key: string; value: T | undefined; error: string | null }>({ key, value: undefined, error: null });
  const [turn, setTurn] = useState(0);
  const current = useRef(load);
  useEffect(() => {
    current.current = load;
  });
  useEffect(() => {
    let isOver = false;
    let seen: string | null = null;
    const refresh = async () => {
      if (document.hidden) return;
      try {
        const latest = await deployment.latest();
        if (latest === seen && !everyTime) return;
        const value = await current.current();
        seen = latest;
        if (!isOver) setState({ key, value, error: null });
      } catch (error) {
        if (!isOver) setState((before) => ({ key, value: before.key === key ? before.value : undefined, error: errorText(error) }));
      }
    };
    let timer = 0;
    const loop = async () => {
      await refresh();
      if (!isOver) timer = window.setTimeout(() => void loop(), POLL_MS);
    };
    void loop();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [deployment, key, turn, everyTime]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { value: state.key === key ? state.value : undefined, error: state.error, reload };
}

/** Runs one action at a time. `run` returns false after an error, which `error` shows, and while another action runs. */
export function useAction(): { error: string | null; run: (action: () => Promise<unknown>) => Promise<boolean> } {
  const isPending = useRef(false);
  const [error, setError] = useState<string | null>(null);
  const run = useCallback(async (action: () => Promise<unknown>) => {
    if (isPending.current) return false;
    isPending.current = true;
    setError(null);
    try {
      await action();
      return true;
    } catch (thrown) {
      setError(errorText(thrown));
      return false;
    } finally {
      isPending.current = false;
    }
  }, []);
  return { error, run };
}

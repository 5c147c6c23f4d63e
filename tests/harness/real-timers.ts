import { vi } from "vitest";

// In a shared process, fake timers of an earlier file would remain.
vi.useRealTimers();

export const startedBy: number;
export function installEarlyStop(): void;
export function releaseEarlyStop(): void;

import { fork } from 'node:child_process';

const sliceMs = 20;

/** Occupies one core until it is stopped, like other work on the same machine. */
export function takeCore(): { readonly stop: () => void } {
  const child = fork(__filename);
  return { stop: () => child.kill() };
}

function spin(): void {
  const endAt = performance.now() + sliceMs;
  while (performance.now() < endAt);
  setImmediate(spin);
}

if (require.main === module) {
  process.once('disconnect', () => process.exit());
  spin();
}

import type { createDependencies } from './create-dependencies';

/** The dependencies of the use cases. */
export type Parts = Awaited<ReturnType<typeof createDependencies>>;

import type { createDependencies } from './create-dependencies';

/** The dependencies of the use cases. */
export type Dependencies = Awaited<ReturnType<typeof createDependencies>>;

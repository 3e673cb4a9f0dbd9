/** The young generation, megabytes. Small ones keep the whole platform on a laptop. */
export const smallHeap = ['--max-semi-space-size=8'] as const;

/**
 * For those on whom a caller waits. Node begins with a megabyte and grows slowly, so that a request's garbage would be
 * collected hundreds of times a second, which costs a quarter of the processor time.
 */
export const answeringHeap = ['--min-semi-space-size=8', '--max-semi-space-size=8'] as const;

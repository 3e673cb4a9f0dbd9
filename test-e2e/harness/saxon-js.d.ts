declare module 'saxon-js' {
  /** With `sync`, the result is returned, not promised. */
  export function transform(
    options: { stylesheetInternal: unknown; sourceText: string; destination: 'serialized' },
    execution: 'sync',
  ): { principalResult: string };
}

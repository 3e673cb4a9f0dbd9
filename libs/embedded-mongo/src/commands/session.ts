/** What the server knows of one connection. */
export interface Session {
  readonly connectionId: number;
  authenticated: boolean;
  /** Ends the exchange that was begun. */
  finish?: ((message: string) => string) | undefined;
}

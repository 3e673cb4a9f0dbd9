/** The state of a connection. */
export interface Session {
  readonly connectionId: number;
  authenticated: boolean;
  /** Verifies the final message of a SCRAM exchange in progress. */
  finish?: ((message: string) => string) | undefined;
}

/** The broker or the database that the services use. */
export interface Server {
  readonly origin: string;
  /** True if it was started by this process and keeps its data in the data folder. */
  readonly isPrivate: boolean;
  /** The process id of a private server while it runs. */
  readonly pid?: number | undefined;
  /** Stops a private server and keeps its data. */
  stop(): Promise<void>;
  /** Kills a private server, as in a crash. */
  kill(): Promise<void>;
  /** Starts a private server again with the same data and port. */
  start(): Promise<void>;
}

/** A server that is used but was not started here. */
export function externalServer(origin: string): Server {
  const notOurs = () => Promise.reject(new Error(`the server (${origin}) was not started here`));
  return { origin, isPrivate: false, stop: async () => {}, kill: notOurs, start: notOurs };
}

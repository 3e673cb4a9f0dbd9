interface Part {
  stop(): Promise<void>;
}

/**
 * Waits for the broker and the database, which are started concurrently. If one fails, `failing` is called immediately,
 * because the other may take many seconds to start and to be stopped.
 * @throws the first failure, once the other part is stopped
 */
export async function startInfrastructure<B extends Part, D extends Part>(
  broker: Promise<B>,
  database: Promise<D>,
  failing: (error: Error) => void,
): Promise<readonly [B, D]> {
  let first: Error | undefined;
  const watched = [broker, database].map((part: Promise<Part>) =>
    part.catch((error: Error) => {
      if (first === undefined) failing((first = error));
      throw error;
    }),
  );
  const results = await Promise.allSettled(watched);
  if (first === undefined) return [await broker, await database];
  const stopping = results.map(async (part) => part.status === 'fulfilled' && part.value.stop());
  await Promise.allSettled(stopping);
  throw first;
}

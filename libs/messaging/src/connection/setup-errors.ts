/** A queue exists but accepts no messages. It may recover, so the caller retries. */
export class QueueUnavailableError extends Error {}

/** Another installation uses this platform name on the broker. A retry does not help. */
export class PrefixTakenError extends Error {
  constructor(platform: string) {
    super(
      `another installation has a platform called ${platform} on this broker: give this one a name of its own (RESOURCE_PREFIX), or a virtual host`,
    );
    this.name = 'PrefixTakenError';
  }
}

/** A queue that is there and takes no messages. Nobody refuses anything: waiting may help. */
export class QueueTakesNothing extends Error {}

/** Another installation has a platform of this name on the broker. Waiting does not make the name free. */
export class ForeignPlatform extends Error {
  constructor(platform: string) {
    super(
      `another installation has a platform called ${platform} on this broker: give this one a name of its own (PLATFORM), or a virtual host`,
    );
    this.name = 'ForeignPlatform';
  }
}

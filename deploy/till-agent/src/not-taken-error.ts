/** Why jobs are currently not accepted. */
export type Refusal = 'queue_full' | 'disk_full';

/** A job was not accepted. The till must send it again. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError';

  constructor(
    readonly reason: Refusal | 'job_too_large',
    options?: ErrorOptions,
  ) {
    super(`the job was not accepted: ${reason.replaceAll('_', ' ')}`, options);
  }
}

/** Why no job is taken at present. */
export type Refusal = 'queue_full' | 'disk_full';

/** A job was not taken. The till must send it again. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError';

  constructor(
    readonly reason: Refusal | 'job_too_large',
    options?: ErrorOptions,
  ) {
    super(`the job was not taken: ${reason.replaceAll('_', ' ')}`, options);
  }
}

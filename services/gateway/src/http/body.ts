import { bodyTooLarge, tooLarge } from '@receipts/kernel';
import type { BodyBudget } from './body-budget';
import type { RequestContext } from './request-context';

const empty = Buffer.alloc(0);

/** The caller disconnected before its body had arrived. No answer can be sent. */
class Disconnected extends Error {}

/** True when a request carries a body at all (RFC 9112, section 6.3). */
export function hasBody(context: RequestContext): boolean {
  const { headers } = context.req;
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads the body, after reserving memory for it.
 * @param bytesMax a longer body is refused as soon as possible: by its Content-Length before any of it is read.
 * @throws ServiceError 413 `body_too_large`; 429 and 503 when no memory can be reserved; Disconnected.
 */
export function readBody(context: RequestContext, bytesMax: number, budget: BodyBudget): Promise<Buffer> {
  const { req, res } = context;
  if (!hasBody(context)) return Promise.resolve(empty);
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > bytesMax) {
    return Promise.reject(tooLarge(bodyTooLarge, 'the body', bytesMax));
  }
  const reservation = budget.reserve(context.limitedAs, announced);
  context.reservation = reservation;
  if (context.expectsInvitation) {
    context.expectsInvitation = false;
    res.writeContinue();
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isRefused = false;
    // The listeners are not removed: removing them would cost more than it saves.
    req.on('data', (chunk: Buffer) => {
      if (isRefused) return;
      length += chunk.length;
      try {
        if (length > bytesMax) throw tooLarge(bodyTooLarge, 'the body', bytesMax);
        if (length > announced) reservation.grow(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        isRefused = true;
        chunks.length = 0;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    const onClose = () => {
      if (!req.complete) reject(new Disconnected('the caller went away'));
    };
    req.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks)));
    req.on('close', onClose).on('error', onClose);
  });
}

import { Readable } from 'node:stream';
import { newId, rawOutput, type Call, type IdAllotter } from '@receipts/kernel';
import type { RawReply, RawRequest } from '@receipts/messaging';
import type { BodyBudget } from './request-limits';
import type { Step } from './middleware';
import type { MountedContract } from './mounted-contract';
import { audited } from './operator-audit';
import { joinedArrays, replyParts, type QueryMembers } from './reply-parts';
import { inputOf, type RequestContext } from './request-context';
import { jsonType, type Responder } from './responder';
import type { Upstream } from './upstream';
import type { WaitingPolls } from './waiting-polls';

export interface ForwardOptions {
  readonly ids: IdAllotter;
  readonly responder: Responder;
  readonly budget: BodyBudget;
  readonly polls: WaitingPolls;
  /** The prefix of the path in the Location header of a redirect. */
  readonly basePath: string;
}

type AskAgain = (query: QueryMembers) => Promise<RawReply>;

const empty = Buffer.alloc(0);
const unknownType = 'application/octet-stream';
const mayHaveContent = (status: number) => status !== 204 && status !== 304;
const isRedirect = (status: number) => status >= 300 && status < 400;

/** Forwards a request to the owner of its contract and returns the reply. */
export class Forwarding {
  private readonly answersJson: boolean;

  constructor(
    private readonly contract: MountedContract,
    private readonly upstream: Upstream,
    private readonly options: ForwardOptions,
    /** Rejects a caller whose credential was revoked, or lost its permission, while its request was held open. */
    private readonly checkCaller: Step,
  ) {
    this.answersJson = contract.output !== undefined && contract.output !== rawOutput;
  }

  readonly answer: Step = async (context) => {
    const { contract, upstream } = this;
    const { parameters, body, idempotencyKey } = context;
    const input = inputOf(context);
    const call = this.callOf(context);
    const request: RawRequest = {
      ...parameters,
      body: body.bytes,
      ...(body.contentType !== undefined && { contentType: body.contentType }),
    };
    if (idempotencyKey === undefined && contract.oneWay?.(input) === true) {
      await upstream.send(request, call);
      this.reply(context, { meta: { id: call.id }, replayed: false, body: empty });
      return;
    }
    const waitSeconds = contract.poll?.waitSeconds(input) ?? 0;
    const ask = () =>
      waitSeconds > 0
        ? this.poll(context, request, call, performance.now() + waitSeconds * 1000)
        : upstream.ask(request, call);
    const reply = await audited(contract, upstream.broker, { context, request, call }, ask);
    this.reply(context, reply, (query) => upstream.askAgain(request, call, query));
  };

  private callOf({ caller, requestId, idempotencyKey, traceparent }: RequestContext): Call {
    const { contract, upstream } = this;
    const { retailer, principal, permissions, settings, consumers } = caller;
    const at = Date.now();
    return {
      id: contract.oneWay ? this.options.ids.allot(retailer, at) : newId(at),
      requestId,
      retailer,
      principal,
      ...(contract.needs?.permissions === true && { permissions }),
      ...(consumers && { consumers }),
      ...(settings && { settings }),
      deadline: at + upstream.timeoutMs,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      traceparent,
      at,
    };
  }

  /** Queries the owner repeatedly until it has data, the time is up, or the caller disconnects. */
  private async poll(
    context: RequestContext,
    request: RawRequest,
    call: Call,
    untilMs: number,
  ): Promise<RawReply> {
    const { polls } = this.options;
    const caller = `${call.retailer}/${call.principal.id}`;
    polls.enter(caller);
    try {
      let query: QueryMembers = {};
      for (;;) {
        const reply = await this.upstream.askAgain(request, call, query);
        const again = this.contract.poll?.nextQuery(reply.meta);
        if (!again || !(await polls.pause(context, untilMs))) return reply;
        await this.checkCaller(context);
        query = { ...query, ...again };
      }
    } finally {
      polls.leave(caller);
    }
  }

  private reply(context: RequestContext, reply: RawReply, askAgain?: AskAgain): void {
    const { meta, replayed, body } = reply;
    const { status = this.contract.http.success, headers: given = {} } = this.contract.response?.(meta) ?? {};
    const isLong = askAgain !== undefined && this.contract.nextPart?.(meta) !== undefined;
    const hasContent = (isLong || body.length > 0) && mayHaveContent(status);
    const headers: Record<string, string | readonly string[]> = hasContent
      ? { 'content-type': this.contentTypeOf(meta) }
      : {};
    for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
    if (isRedirect(status)) this.completeLocation(headers);
    if (replayed === true) headers['idempotent-replayed'] = 'true';
    const content = isLong ? this.longBody(context, reply, askAgain) : body;
    this.options.responder.reply(context, status, headers, hasContent ? content : undefined);
  }

  /** Browsers follow a redirect themselves; every other link is relative to the base path. */
  private completeLocation(headers: Record<string, string | readonly string[]>): void {
    const { location } = headers;
    if (typeof location === 'string' && location.startsWith('/'))
      headers['location'] = this.options.basePath + location;
  }

  /**
   * Memory is reserved for two parts: the current part and the next part. If there is no memory for a later, larger
   * part, the connection is closed.
   * @throws ServiceError 429 or 503 if there is no memory for the first part
   */
  private longBody(context: RequestContext, first: RawReply, askAgain: AskAgain): Readable {
    let reserved = 2 * first.body.length;
    const reservation = context.reserve(this.options.budget, reserved);
    const ask: AskAgain = async (query) => {
      const part = await askAgain(query);
      const more = 2 * part.body.length - reserved;
      if (more <= 0) return part;
      reservation.grow(more);
      reserved += more;
      return part;
    };
    const parts = replyParts(first, (meta) => this.contract.nextPart?.(meta), ask);
    return Readable.from(this.answersJson ? joinedArrays(parts, context.pretty) : parts);
  }

  private contentTypeOf(meta: unknown): string {
    const contentType: unknown = (meta as { contentType?: unknown } | undefined)?.contentType;
    if (typeof contentType === 'string') return contentType;
    return this.answersJson ? jsonType : unknownType;
  }
}

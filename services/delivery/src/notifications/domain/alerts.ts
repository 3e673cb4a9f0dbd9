/** A fact that managers are warned about. `key` names what it is about, so that the same fact counts once. */
export type AlertCause =
  | { readonly type: 'failed_packets'; readonly key: string; readonly store: string | null }
  | {
      readonly type: 'silent_tills';
      readonly key: string;
      readonly store: string;
      /** Null for receipts without a till. */
      readonly till: string | null;
      /** When the till sent something last before the silence, or first after it; ISO 8601. */
      readonly at: string;
      readonly isBack: boolean;
    }
  | { readonly type: 'disabled_webhooks'; readonly key: string; readonly description: string | null }
  | {
      readonly type: 'failing_checks';
      /** The id of the portal user, because each has a limit of its own. */
      readonly key: string;
      readonly failed: number;
      readonly receipts: number;
    };

/** How many causes of a type there are at a store beside those that are kept one by one. */
export interface FurtherCauses {
  readonly type: AlertCause['type'];
  readonly store: string | null;
  readonly count: number;
}

/** The causes of one e-mail to each manager. */
export interface AlertRound {
  readonly number: number;
  readonly causes: readonly AlertCause[];
  readonly further?: readonly FurtherCauses[];
}

/** What a retailer's managers are to be warned about. */
export interface Alerts {
  /** Causes since the last round. */
  readonly causes: readonly AlertCause[];
  /** Causes since the last round that are only counted; absent if there are none. */
  readonly further?: readonly FurtherCauses[];
  /** The ids of the latest events that are included, so that a redelivered event causes no second e-mail. */
  readonly handled?: readonly string[];
  /** When the next round is due; absent if there is nothing to tell. */
  readonly dueAt?: Date;
  /** The round for which e-mails are being created. */
  readonly round?: AlertRound;
  /** When the last e-mails were created. */
  readonly sentAt?: Date;
  /** The ids of the users whose share of failing checks is above their limit. */
  readonly above: readonly number[];
}

export interface AlertPauses {
  /** How long further causes are waited for after the first one. */
  readonly delayMs: number;
  /** The shortest time between the e-mails to a manager. */
  readonly intervalMs: number;
}

/** Further causes of a type are only counted, so that a storm does not fill the document or the e-mail. */
export const causesOfTypeMax = 100;

/** The pairs of type and store whose further causes are counted. Clients choose the references of stores. */
const furtherMax = 300;

/** More than the broker redelivers when the connection of a process is lost. */
const handledMax = 2_000;

/** The events of a round that has ended arrive again only if they were in the last batches of a process. */
const handledAfterRoundMax = 512;

export const noAlerts: Alerts = { causes: [], above: [] };

function nextRoundAt(
  { sentAt }: Pick<Alerts, 'sentAt'>,
  now: Date,
  { delayMs, intervalMs }: AlertPauses,
): Date {
  const earliest = now.getTime() + delayMs;
  return new Date(sentAt ? Math.max(earliest, sentAt.getTime() + intervalMs) : earliest);
}

/** True if there may be causes at stores that are not counted. */
export const areFurtherFull = (further: readonly FurtherCauses[]): boolean => further.length >= furtherMax;

const sameKey = ({ type, key }: AlertCause) => JSON.stringify([type, key]);

/** Counts causes by type and store. */
function counted(further: readonly FurtherCauses[], added: readonly AlertCause[]): readonly FurtherCauses[] {
  const counts = new Map(further.map((one) => [JSON.stringify([one.type, one.store]), one]));
  for (const cause of added) {
    const store = 'store' in cause ? cause.store : null;
    const key = JSON.stringify([cause.type, store]);
    const known = counts.get(key);
    if (known || counts.size < furtherMax)
      counts.set(key, { type: cause.type, store, count: (known?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/**
 * Adds causes; a later one replaces an earlier one about the same thing.
 * @returns the same object if nothing changes
 */
export function withCauses(
  alerts: Alerts,
  added: readonly AlertCause[],
  now: Date,
  pauses: AlertPauses,
): Alerts {
  const causes = new Map(alerts.causes.map((cause) => [sameKey(cause), cause]));
  const counts = new Map<AlertCause['type'], number>();
  for (const { type } of alerts.causes) counts.set(type, (counts.get(type) ?? 0) + 1);
  const further: AlertCause[] = [];
  for (const cause of added) {
    const { type } = cause;
    const key = sameKey(cause);
    const count = counts.get(type) ?? 0;
    // Users have limits of their own for failing checks, so that no user may be left out.
    const isKept = causes.has(key) || count < causesOfTypeMax || type === 'failing_checks';
    if (!isKept) further.push(cause);
    else {
      if (!causes.has(key)) counts.set(type, count + 1);
      causes.set(key, cause);
    }
  }
  const kept = [...causes.values()];
  if (further.length === 0 && JSON.stringify(kept) === JSON.stringify(alerts.causes)) return alerts;
  return {
    ...alerts,
    causes: kept,
    ...(further.length > 0 && { further: counted(alerts.further ?? [], further) }),
    dueAt: alerts.dueAt ?? nextRoundAt(alerts, now, pauses),
  };
}

/** A cause and the id of the event that reports it. */
export interface ReportedCause {
  readonly event: string;
  readonly cause: AlertCause;
}

/**
 * Adds the causes of events. An event that was included before, even in an earlier round, has no effect.
 * @returns the same object if nothing changes
 */
export function withReportedCauses(
  alerts: Alerts,
  reported: readonly ReportedCause[],
  now: Date,
  pauses: AlertPauses,
): Alerts {
  const handled = new Set(alerts.handled);
  const added = reported.filter(({ event }) => {
    const isNew = !handled.has(event);
    handled.add(event);
    return isNew;
  });
  if (added.length === 0) return alerts;
  const causes = added.map(({ cause }) => cause);
  return { ...withCauses(alerts, causes, now, pauses), handled: [...handled].slice(-handledMax) };
}

/**
 * Begins the round that is due, or continues one whose process has crashed.
 * @returns the same object if none is due
 */
export function withRound(alerts: Alerts, number: number, now: Date): Alerts {
  const { further, ...others } = alerts;
  const { causes, dueAt, round } = others;
  if (round || causes.length === 0 || !dueAt || dueAt > now) return alerts;
  return { ...others, causes: [], round: { number, causes, ...(further && { further }) } };
}

/**
 * Ends a round once its e-mails have been created.
 * @param isTold false if nobody gets an e-mail, so that the next cause need not wait
 */
export function withoutRound(
  alerts: Alerts,
  number: number,
  isTold: boolean,
  now: Date,
  pauses: AlertPauses,
): Alerts {
  if (alerts.round?.number !== number) return alerts;
  const { round: _ended, dueAt: _due, sentAt: earlier, handled, ...others } = alerts;
  const sentAt = isTold ? now : earlier;
  const rest = {
    ...others,
    ...(handled && { handled: handled.slice(-handledAfterRoundMax) }),
    ...(sentAt && { sentAt }),
  };
  return rest.causes.length === 0 ? rest : { ...rest, dueAt: nextRoundAt(rest, now, pauses) };
}

/** The figures of the receipts that a user may see, in the last hour. */
export interface CheckFigures {
  readonly user: number;
  readonly failed: number;
  readonly receipts: number;
  readonly percentMax: number;
}

/** A single wrong receipt of a quiet hour is no reason for an e-mail. */
const failedMin = 3;
const percent = 100;

/** Warns users whose share of failing checks has risen above their limit, once until it has fallen again. */
export function withCheckFigures(
  alerts: Alerts,
  figures: readonly CheckFigures[],
  now: Date,
  pauses: AlertPauses,
): Alerts {
  const isAbove = ({ failed, receipts, percentMax }: CheckFigures) =>
    failed >= failedMin && failed * percent > percentMax * receipts;
  const above = figures.filter(isAbove);
  const risen = above.filter(({ user }) => !alerts.above.includes(user));
  const causes = risen.map(({ user, failed, receipts }): AlertCause => ({
    type: 'failing_checks',
    key: String(user),
    failed,
    receipts,
  }));
  const next = withCauses(alerts, causes, now, pauses);
  const measured = new Set(figures.map(({ user }) => user));
  const others = alerts.above.filter((user) => !measured.has(user));
  const users = [...others, ...above.map(({ user }) => user)].sort((one, other) => one - other);
  return JSON.stringify(users) === JSON.stringify(next.above) ? next : { ...next, above: users };
}

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

/** The causes of one e-mail to each manager. */
export interface AlertRound {
  readonly number: number;
  readonly causes: readonly AlertCause[];
}

/** What a retailer's managers are to be warned about. */
export interface Alerts {
  /** Causes since the last round. */
  readonly causes: readonly AlertCause[];
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

/** More causes of a type are not counted, so that a storm costs no more than this. */
export const causesOfTypeMax = 100;

export const noAlerts: Alerts = { causes: [], above: [] };

const isSame = (one: AlertCause, other: AlertCause) => one.type === other.type && one.key === other.key;

function nextRoundAt(
  { sentAt }: Pick<Alerts, 'sentAt'>,
  now: Date,
  { delayMs, intervalMs }: AlertPauses,
): Date {
  const earliest = now.getTime() + delayMs;
  return new Date(sentAt ? Math.max(earliest, sentAt.getTime() + intervalMs) : earliest);
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
  let causes = alerts.causes;
  for (const cause of added) {
    const isFull = causes.filter(({ type }) => type === cause.type).length >= causesOfTypeMax;
    const isKnown = causes.some((known) => isSame(known, cause));
    if (isKnown) causes = causes.map((known) => (isSame(known, cause) ? cause : known));
    else if (!isFull) causes = [...causes, cause];
  }
  if (JSON.stringify(causes) === JSON.stringify(alerts.causes)) return alerts;
  return { ...alerts, causes, dueAt: alerts.dueAt ?? nextRoundAt(alerts, now, pauses) };
}

/**
 * Begins the round that is due, or continues one whose process has crashed.
 * @returns the same object if none is due
 */
export function withRound(alerts: Alerts, number: number, now: Date): Alerts {
  const { causes, dueAt, round } = alerts;
  if (round || causes.length === 0 || !dueAt || dueAt > now) return alerts;
  return { ...alerts, causes: [], round: { number, causes } };
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
  const { causes, above, sentAt: earlier } = alerts;
  const sentAt = isTold ? now : earlier;
  const rest = { causes, above, ...(sentAt && { sentAt }) };
  return causes.length === 0 ? rest : { ...rest, dueAt: nextRoundAt(rest, now, pauses) };
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

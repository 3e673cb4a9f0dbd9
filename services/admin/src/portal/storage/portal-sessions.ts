import type { CollectionDeclaration } from '@receipts/storage';
import { expiryIndex, minuteMs, type SessionDocument } from '../../pages/storage/sessions';

export interface PortalSessionDocument extends SessionDocument {
  readonly retailer: string;
  readonly email: string;
}

export const portalSessionsDeclaration: CollectionDeclaration = {
  name: 'portal_sessions',
  indexes: [{ name: 'by_email', key: { email: 1 } }, expiryIndex],
};

export const portalSessionLimits = { idleMs: 60 * minuteMs, lifeMs: 12 * 60 * minuteMs };

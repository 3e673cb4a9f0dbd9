export { ApiError, dataOf } from './api-error';
export {
  createReceiptsClient,
  jsonPatch,
  type Credential,
  type ReceiptsClient,
  type ReceiptsClientOptions,
} from './client';
export { bearerToken, signUrl, type BearerKey, type SignatureKey, type SignatureScope } from './credentials';
export {
  followEvents,
  type EventPage,
  type EventType,
  type FollowOptions,
  type ReceiptsEvent,
} from './events';
export { exportedReceipts, type ExportFilters } from './exported-receipts';
export type { components, operations, paths } from './generated/api';
export {
  allReceipts,
  newReceipts,
  currentCursor,
  type Arrivals,
  type Receipt,
  type ReceiptFilters,
} from './receipts';
export type { RetryLimits } from './retrying-fetch';
export { verifyWebhook, type WebhookMessage } from './webhooks';

import { generalErrorAdvice, type Advice } from './general-error-advice';

/** By error code. A test requires an entry for every code of every operation. */
export const errorAdvice: Readonly<Record<string, Advice>> = {
  ...generalErrorAdvice,
  attachment_deleted: {
    cause:
      'The last receipt that referred to the attachment was deleted or erased, or its retention period has ended.',
    cure: 'Remove it from your data as well. Its id is never used again.',
  },
  attachment_not_found: {
    cause:
      'There is no attachment with this name. A receipt or packet can only refer to attachments that were uploaded before.',
    cure: 'Upload the attachment first, and use the name from its `Location`.',
  },
  broker_management_missing: {
    cause:
      "The platform creates subscriptions through RabbitMQ's management interface, whose address is not configured.",
    cure: 'Set `BROKER_MANAGEMENT_URL` of the admin service and restart it. Retrying the request does not help.',
  },
  card_number_too_long: {
    cause: 'A card number has more than four digits. The platform must never receive complete card numbers.',
    cure: 'Send only the last four digits.',
  },
  channel_not_available: {
    cause:
      'The channel has no address for the recipient, is switched off for this retailer, consumer or receipt, or has no provider.',
    cure: 'Send `resolve: true` to learn which channels are available, then choose one of them or pass an address.',
  },
  client_key_exists: {
    cause: 'Access keys are unique across the platform, and another client already uses this key.',
    cure: 'Omit the key to let the platform generate one.',
  },
  client_revoked: {
    cause: 'The client was revoked. A revoked client can be neither changed nor issued new tokens.',
    cure: 'Create a new client with the same permissions.',
  },
  conflict: {
    cause:
      'Other requests changed the resource at the same time, and several attempts to apply yours failed.',
    cure: 'Read the resource again, and retry the request if it still makes sense.',
  },
  consumer_mismatch: {
    cause:
      'The credential is restricted to certain consumers, and the request concerns another consumer or none.',
    cure: 'Name one of the signed consumers, or sign for the right one. Some operations are not available to such credentials.',
  },
  cursor_expired: {
    cause:
      'The events after this cursor have been deleted because of their age, or a restored backup does not contain them.',
    cure: 'Read the current state with the list operations, then follow the feed again without `after`.',
  },
  delivery_in_progress: {
    cause:
      'The platform is posting this webhook delivery right now. A second attempt could deliver it twice.',
    cure: 'Look at the delivery after 15 seconds. Replay it if it has failed.',
  },
  duplicate_external_id: {
    cause: 'A receipt with this `external_id` already exists. Its id is in `id`.',
    cure: 'If it is the same sale, you do not need to do anything. Otherwise use another `external_id`.',
  },
  duplicate_transaction_id: {
    cause: 'A receipt with this `transaction_id` already exists. Its id is in `id`.',
    cure: 'If it is the same sale, you do not need to do anything. To store a copy on purpose, set `duplicate: true`.',
  },
  setting_in_use: {
    cause:
      'The filters of some webhook endpoints use a dynamic field that the change removes or gives another type. `used_by` lists these endpoints.',
    cure: 'Change the filters first, or repeat the request with `force=true`, which disables the endpoints.',
  },
  endpoint_disabled: {
    cause: 'The webhook endpoint is disabled, by its owner or because its deliveries failed for too long.',
    cure: 'Enable it with a `PATCH`. `_recover` then sends the events that it has missed.',
  },
  event_expired: {
    cause: 'The event of this webhook delivery is older than the retention period of events.',
    cure: 'Read the current state of its subject instead.',
  },
  field_not_modifiable: {
    cause: 'The patch changes a field that never changes, such as `id`, or one that other operations change.',
    cure: 'Remove this operation from the patch. The description names the field.',
  },
  filename_missing: {
    cause: 'An attachment needs a file name, which comes from the `Content-Disposition` header.',
    cure: 'Send `Content-Disposition: attachment; filename="invoice.pdf"`.',
  },
  identifier_exists: {
    cause: 'The retailer already has an identifier with this value.',
    cure: 'Find it with `GET /identifiers/_search`, and patch it instead.',
  },
  identifier_not_found: {
    cause: 'The retailer has no such identifier, or the identifier was erased.',
    cure: 'Check the value. Create the identifier if it should exist.',
  },
  invalid_gtin: {
    cause: 'A GTIN has a wrong number of digits or a wrong check digit, so it was misread or is not a GTIN.',
    cure: 'Send all digits of the article’s bar code, or send your own number as `properties.product_code`.',
  },
  invalid_card_number: {
    cause: "The card number does not exist, or the retailer's programme does not recognize it.",
    cure: 'Ask the consumer to read the number from the card again.',
  },
  invalid_portal_user: {
    cause:
      'The portal user has an invalid e-mail address or an unknown group, or belongs to another retailer.',
    cure: "Use one of the groups in the retailer's setting `portal_permissions`.",
  },
  invalid_query: {
    cause: 'The search query has a syntax error, or uses a field that cannot be searched.',
    cure: 'The description says what is wrong and at which position. Put values with spaces in double quotes.',
  },
  invalid_registration_code: {
    cause: 'The registration code does not belong to this card.',
    cure: 'Check the code. After several wrong codes, further attempts are rejected for a while.',
  },
  invalid_signature: {
    cause: 'The signature does not match, has expired, or is valid for longer than allowed.',
    cure: 'The description states the reason. Sign `key`, newline, `consumer` exactly as sent, newline, `expires`, and check your clock.',
  },
  gift_ended: {
    cause: 'The receipt was voided, deleted or erased after the gift receipt was created.',
    cure: 'Create a gift receipt from the receipt of the new sale, if there is one.',
  },
  gift_not_found: {
    cause: 'No receipt of this retailer has a gift receipt with this returns code.',
    cure: 'Scan the code again, or type all of its digits.',
  },
  link_not_found: {
    cause: 'The link does not belong to a receipt of this retailer, has expired, or was revoked.',
    cure: 'Use a link that the platform has issued, completely and unchanged.',
  },
  link_taken: {
    cause:
      'A receipt, or raw data that has not been converted yet, already uses this link. The id of the receipt is in `id`.',
    cure: 'If it is the same receipt, you do not need to do anything. Otherwise send the receipt with another link or without a link.',
  },
  logo_not_found: {
    cause: 'No logo was uploaded under this address, or it was replaced many times since.',
    cure: 'Open the receipt again, which shows the current logo; or upload the logo again in the portal.',
  },
  malformed_patch: {
    cause: 'The body is not an array of JSON Patch operations as defined by RFC 6902.',
    cure: 'Send operations such as `[{"op": "replace", "path": "/total", "value": 10}]`.',
  },
  mapping_invalid: {
    cause: 'An expression of the mapping does not compile, or the mapping lacks a required part.',
    cure: '`errors` shows each fault with its path and position. Correct the mapping and save it again.',
  },
  mapping_not_found: {
    cause: 'The retailer has no mapping with this id, or not in this version.',
    cure: 'List the mappings with `GET /pos/mappings`.',
  },
  not_an_invoice: {
    cause:
      'The receipt lacks something that EN 16931 requires, or its amounts do not add up. `errors` names each business term.',
    cure: 'Set the company, tax number and country of the store, and post a tax rate for each item. Other forms of the receipt need none of this.',
  },
  packet_converted: {
    cause: 'The packet has been converted to a receipt, and cannot be converted a second time.',
    cure: 'Change the receipt with a `PATCH` if it is wrong.',
  },
  packet_deleted: {
    cause:
      'The data of the packet was deleted, together with its last receipt, when its consumer was erased, or after the retention period. Only the state of the packet is kept.',
    cure: 'Packets without receipts can be posted again, with another `external_id`. Deleted receipts cannot be created again.',
  },
  packet_not_found: {
    cause: 'The retailer has no packet with this id.',
    cure: 'Use the id from the `Location` of `POST /pos/receipts`.',
  },
  patch_not_applicable: {
    cause: 'An operation refers to a path that does not exist, or its result would not be a valid resource.',
    cure: 'Read the resource, and create the patch for its current state.',
  },
  patch_test_failed: {
    cause: 'A `test` operation of the patch found another value. Nothing was changed.',
    cure: 'Read the resource, and check whether the change still makes sense.',
  },
  pass_not_available: {
    cause: 'Passes for Apple Wallet require a signing certificate, and the operator has not configured one.',
    cure: 'Use the page or the PDF of the receipt. Operators set the certificate with `APPLE_WALLET`.',
  },
  processing_pending: {
    cause: 'The raw receipt was accepted, but its conversion has not finished.',
    cure: 'Try again after a second. `GET /pos/packets/{id}` shows the progress.',
  },
  queue_not_found: {
    cause: 'The broker has no queue with this name.',
    cure: 'Use a name from the list of queues.',
  },
  receipt_already_assigned: {
    cause: 'The receipt belongs to another identifier. A receipt can be assigned only once.',
    cure: 'Check that it is the right receipt. Assigning it to the same identifier again succeeds.',
  },
  receipt_deleted: {
    cause: 'The receipt existed and was deleted.',
    cure: 'Remove it from your data as well. Its id is never used again.',
  },
  receipt_not_found: {
    cause:
      'Your retailer has no receipt with this id, or the raw receipt with this id could not be converted or contains no receipt.',
    cure: 'Check the id. For a raw receipt, the response or `GET /pos/packets/{id}` shows why its conversion failed.',
  },
  receipt_voided: {
    cause: 'The sale was voided, so its receipt is not sent.',
    cure: 'Send the receipt of the new sale, if there is one.',
  },
  retailer_exists: {
    cause: 'Another retailer already has this id.',
    cure: 'Choose another id, or change the existing retailer.',
  },
  retailer_has_no_cards: {
    cause: 'The retailer has no card programme.',
    cure: 'The operator can import cards for the retailer.',
  },
  samples_failed: {
    cause: 'The mapping converts one of its own samples to something other than the expected receipt.',
    cure: '`errors` lists the differences. Correct the mapping, or update the expected receipt.',
  },
  store_exists: {
    cause: 'The retailer already has a store with this reference.',
    cure: 'Change the existing store with a `PATCH`, or choose another reference.',
  },
  store_not_allowed: {
    cause:
      'The receipt contains a `store`, and the retailer does not allow receipts to create or change stores.',
    cure: 'Remove `store` and send `store_reference` only, or ask the operator to set `stores.from_receipt`.',
  },
  store_not_found: {
    cause: 'The retailer has no store with this reference, and only accepts receipts from known stores.',
    cure: 'Create the store first with `POST /stores`.',
  },
  subscription_exists: {
    cause: 'The retailer already has a subscription with this name.',
    cure: 'Use the existing subscription, or choose another name.',
  },
  too_many: {
    cause: 'A limit on the number of items, properties, values or resources is reached.',
    cure: 'The description states the limit. Split the request, or delete what you no longer need.',
  },
  too_many_revocations: {
    cause: 'The list of individually revoked tokens of this client is full.',
    cure: 'Revoke all tokens of the client at once, or create a new client.',
  },
  unknown_cursor: {
    cause: 'The platform never issued this cursor, or a restored backup does not contain its position.',
    cure: 'Start again with the first page, and follow its links unchanged.',
  },
};

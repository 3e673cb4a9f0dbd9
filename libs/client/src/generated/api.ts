// Generated from the descriptions of the interface by `npm run client-types`. Do not edit.

export interface paths {
    "/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List receipts
         * @description **Version 1.** Most recent first, in the order of arrival. To page on, pass the id of the oldest receipt as `older`; to follow new arrivals, pass the id of the newest one as `newer`. An empty array ends paging. To be deprecated in favour of version 2.
         *
         *     Permission: `view.get_receipt`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         *
         *     **Version 2.** Most recent first, in the order of arrival. `latest` is always there. `next` leads to older receipts, `prev` in the other direction, `newer` to what has arrived since: follow it for as long as its answers have a `prev` link, then come back later. Links keep the filters. After a restore from a backup a link to receipts that were lost is 400 `unknown_cursor`: begin again with the first page.
         *
         *     Permission: `view.get_receipt`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["listReceiptsV1"];
        put?: never;
        /**
         * Post a receipt
         * @description Stores one receipt. `transaction_id` is unique per retailer: posting it again is 409 with the `id` of the receipt that exists, so that a till can treat it as done. With `duplicate: true` the receipt is stored under `<transaction_id>-duplicate-<4 letters>`. At most 5000 items, 10000 properties in all and 20000 values in all: more is 422 `too_many`. A credential that is confined to consumers posts only for them. `_links` come with the answer when the retailer has asked for them.
         *
         *     Permission: `view.post_receipt`.
         */
        post: operations["createReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a receipt
         * @description A receipt that is still being converted from raw data is 409, one that was deleted 410. With `consumer` a receipt of somebody else is 404.
         *
         *     Permission: `view.get_receipt`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        /**
         * Delete a receipt
         * @description For good: nothing of what it said is kept. Lists and searches no longer show it, and GET answers 410. Its `transaction_id`, and its `external_id` where it has one, stay taken, so that it does not come back when its till posts it once more. Deleting it again is a success. With `If-Match` only that version is deleted.
         *
         *     Permission: `view.delete_receipt`.
         */
        delete: operations["deleteReceipt"];
        options?: never;
        head?: never;
        /**
         * Patch a receipt
         * @description A JSON Patch (RFC 6902) of the receipt as GET returns it, applied all or nothing. It may change `/identifier`, `/properties` and below, `/items/{n}/return` and below, and `/incomplete`; it may test and copy whatever can be read. Removing the identifier sets it to null and needs the permission `view.unassign_receipt`. With `If-Match` the patch is applied only to that version. Deprecated: `application/json` with `{identifier}` amends only the identifier.
         *
         *     Permission: `view.patch_receipt`.
         */
        patch: operations["patchReceipt"];
        trace?: never;
    };
    "/receipts/_assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign a receipt
         * @description Gives a receipt without identifier to a consumer. The same identifier again is a success, another one is refused. With `consumer`, or with a signature that carries it, the identifier must be among its values. The answer is 200 with the receipt for clients that are set up with `assign_returns_receipt`, else 204.
         *
         *     Permission: `view.assign_receipt`.
         */
        post: operations["assignReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/_search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search receipts
         * @description A query is fields with values, `path:value`, separated by blanks: words, `"phrases"`, ranges `[a TO b]`, `*` for "is there", `+` requires and `-` excludes. Receipts that meet more of the plain conditions come first, then those that arrived last. `hits` counts all that match; where `hits_relation` is `at_least` counting was cut short and there are more. `time` is in milliseconds.
         *
         *     Permission: `view.search_receipt`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["searchReceipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}/receipts/_reindex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make receipts findable anew
         * @description Makes what some of a retailer’s receipts are found by anew, from the receipts, the stores and the settings of today: after a change of `dynamic_fields`, or after an upgrade that made more fields searchable. Receipts can be read, found and changed meanwhile. Call it with `next` until that is null; it may be stopped and gone on with at any time.
         */
        post: operations["reindexReceipts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a raw receipt
         * @description Takes a raw receipt in any format. It is converted asynchronously by a mapping that was set up in advance. The Location names the receipt to be. Query parameters `property-<name>` and headers `service-property-<name>` are kept as free properties; case is ignored, `-` equals `_`, a header wins, the first of a repeated name wins. A credential that is confined to consumers must name one of them as `identifier`.
         *
         *     Permission: `view.post_pos_receipt`.
         */
        post: operations["acceptPacket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a POS data entry
         * @description Takes a raw receipt inside JSON. Discouraged for new integrations: use POST /pos/receipts. The same `source_id` and `entry_id` posted again are accepted and not converted twice. An entry names no consumer, so that it is not for credentials that are confined to consumers.
         *
         *     Permission: `view.post_pos_data`.
         */
        post: operations["postPosData"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post an attachment
         * @description The body is the data itself, with its Content-Type and a `Content-Disposition: attachment; filename=<name>` header.
         *
         *     Permission: `view.post_attachment`.
         */
        post: operations["createAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attachments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an attachment
         * @description The bytes with their type. A consumer can fetch an attachment only when a receipt of theirs links to it.
         *
         *     Permission: `view.get_attachment`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["getAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/packets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List raw receipts
         * @description Newest first. `older` is the id of the last packet of the page before.
         *
         *     Permission: `view.get_packet`.
         */
        get: operations["listPackets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/packets/failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failed raw receipts
         * @description What could not be converted and still waits for a better mapping, of all retailers: grouped by retailer, reason and mapping, the largest group first, and the newest ones in full. The newest 10,000 are looked at; `is_complete` tells whether these are all.
         */
        get: operations["listFailedPackets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/packets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what became of a raw receipt
         * @description The id is that of the packet, or of any receipt that it was converted into.
         *
         *     Permission: `view.get_packet`.
         */
        get: operations["getPacket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/packets/{id}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the bytes of a raw receipt
         * @description The bytes and the content type as they were posted.
         *
         *     Permission: `view.get_packet`.
         */
        get: operations["getPacketRaw"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/packets/{id}/_reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert a raw receipt again
         * @description For a packet that failed. One that is still being converted is left to it.
         *
         *     Permission: `view.reprocess_packet`.
         */
        post: operations["reprocessPacket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/packets/_reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert failed raw receipts again
         * @description Takes every packet that failed: with `reason`, those that failed for it; with `mapping`, those that failed in it.
         *
         *     Permission: `view.reprocess_packet`.
         */
        post: operations["reprocessPackets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/_send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a receipt
         * @description Sends a stored receipt over the given channels. With `resolve` nothing is sent; the answer tells which channels are available and to which addresses it would go. A credential that is confined to consumers sends only to their own addresses. An address takes 5 receipts in 10 minutes, and a receipt goes out 20 times in 24 hours; what is sent on arrival counts, and is never held back. A credential sends 6,000 times a minute.
         *
         *     Permission: `view.send_receipt`.
         */
        post: operations["sendReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a receipt
         * @description Newest first. With `consumer` a receipt of somebody else is 404. `explain` walks through settings, opt-outs, address and availability of each channel, in this order.
         *
         *     Permission: `view.get_receipt`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/deliveries/waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deliveries that wait
         * @description E-mails and messages of all retailers that are not handed over yet, grouped by retailer, channel and what went wrong the last time; the largest group first. The 10,000 that are due first are looked at; `is_complete` tells whether these are all. No address is told.
         */
        get: operations["listWaitingDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{account}/callbacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirm the address of call-backs to a provider
         * @description The challenge of the WhatsApp Cloud API, given back to whoever knows the verify token.
         */
        get: operations["confirmChannelCallback"];
        put?: never;
        /**
         * Take a status call-back of a provider of messages
         * @description Called by the provider of SMS or WhatsApp messages whose account it names, and signed as that provider signs: `X-Twilio-Signature`, or `X-Hub-Signature-256`. Repeating it changes nothing; reports on messages that nobody knows are taken and let go.
         */
        post: operations["receiveChannelReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the links of a receipt's renderings
         * @description The page for the consumer, its QR code and the PDF. The links need no credential.
         *
         *     Permission: `view.get_receipt`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["getReceiptLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}/links/_revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the links of a receipt's renderings
         * @description All links that were given out so far lead nowhere any more. The answer has new ones; a repeated answer has null in their place.
         *
         *     Permission: `view.send_receipt`.
         */
        post: operations["revokeReceiptLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a receipt to its consumer
         * @description The page behind `_links.webview`, also as plain text. `lang` chooses the language; without it `Accept-Language` does, among the translations that the receipt has, and then the receipt, its store and its retailer.
         */
        get: operations["showReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a receipt as a PDF
         * @description What `_links.pdf` leads to. The language is chosen as for the page.
         */
        get: operations["showReceiptPdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the QR code of a receipt's page
         * @description What `_links.webview.qrcode` leads to: a PNG, or an SVG for who asks for one.
         */
        get: operations["showReceiptQr"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/u/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask a consumer whether they want no more receipts
         * @description What `List-Unsubscribe` of a mail leads to. A page with one button.
         */
        get: operations["showUnsubscribe"];
        put?: never;
        /**
         * Send a consumer no more receipts
         * @description Adds `receipts` to the opt-out tags of the receipt's consumer. The body is `List-Unsubscribe=One-Click` (RFC 8058) or anything else; repeating it changes nothing.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/services/delivery/_catch_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Catch up mails on arrival and events
         * @description Looks for what this service has not heard of: receipts of the last 24 hours that are to be sent on arrival are sent, and events that never came go to the feed and to webhooks, in the background. The service does so by itself when it starts, after the broker was away, and now and then.
         */
        post: operations["catchUpDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description The endpoint that was created last comes first. `_links.next` is there while older ones follow.
         *
         *     Permission: `view.manage_webhook`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Events are posted to it as Standard Webhooks 1.0, signed with the secret of the answer, which is shown here only. Delivery is at least once: `webhook-id` is the id of the event and the same in every attempt.
         *
         *     Permission: `view.manage_webhook`.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Without its secret.
         *
         *     Permission: `view.manage_webhook`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description It is called no more. Its deliveries, sent or not, go with it.
         *
         *     Permission: `view.manage_webhook`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Patch a webhook endpoint
         * @description A JSON object of the fields to change, or JSON Patch (RFC 6902) over all of them. Enabling an endpoint forgets its failures; what happened while it was disabled is sent by `_recover`.
         *
         *     Permission: `view.manage_webhook`.
         */
        patch: operations["patchWebhookEndpoint"];
        trace?: never;
    };
    "/webhooks/endpoints/{id}/_rotate_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description Answers a new secret. For 24 hours the one before it signs along, so that `webhook-signature` has two signatures.
         *
         *     Permission: `view.manage_webhook`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{id}/_test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook endpoint
         * @description Posts an event of type `webhook.test` once, also to a disabled endpoint. The answer has the id of the delivery; how it went is in the list of deliveries.
         *
         *     Permission: `view.manage_webhook`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Newest first, with the heads of each request and response. Kept as long as the events.
         *
         *     Permission: `view.manage_webhook`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/deliveries/{id}/_replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a webhook delivery
         * @description Posts the event again at once, with the same `webhook-id`, and begins the schedule of attempts anew. While an attempt is being made, which takes 15 seconds at most, it is 409 and that attempt goes on.
         *
         *     Permission: `view.manage_webhook`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{id}/_recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recover a webhook endpoint
         * @description Sends the events since a time that the endpoint asks for and has not got: those whose delivery failed, and those that happened while it was disabled. With `status` only deliveries of this status are sent again. Oldest first, in the background.
         *
         *     Permission: `view.manage_webhook`.
         */
        post: operations["recoverWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/event_types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the types of events
         * @description What `event_types` of an endpoint, and `types` of the feed, may name.
         *
         *     Permission: `view.manage_webhook`.
         */
        get: operations["listWebhookEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/webhooks/troubled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhook endpoints in trouble
         * @description The endpoints of all retailers of which every attempt has failed for a while, that longest first, and those that the platform has disabled, the latest first. At most 100 of each. Of their addresses only the origin is told: what follows it may be a secret.
         */
        get: operations["listTroubledWebhookEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the feed of events
         * @description Oldest first. `_links.next` goes on after the last event; a reader that follows it gets every event, however many are written at once. Without `after` it begins now: the first call of a retailer starts the recording, and its `_links.next` is where to go on. Events are kept for 30 days (`event_days` of the retailer). A cursor is 410 `cursor_expired` when events after it are too old to be kept, and after a restore from a backup when it is newer than the backup: start again without `after`.
         *
         *     Permission: `view.get_events`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identifiers/{identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an identifier
         * @description The properties of a consumer and what their receipts come to.
         *
         *     Permission: `view.get_identifier`.
         */
        get: operations["getIdentifier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch an identifier
         * @description A JSON Patch (RFC 6902) of the identifier as GET returns it, applied all or nothing. It may change `/properties` and below; it may test and copy whatever can be read. With `If-Match` the patch is applied only to that version. Deprecated: `application/json` with `{properties}`, whose members are set as they are; `opt-out` sets the opt-out tags, `opt-out+=` adds some and `opt-out-=` takes some away.
         *
         *     Permission: `view.patch_identifier`.
         */
        patch: operations["patchIdentifier"];
        trace?: never;
    };
    "/identifiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List identifiers
         * @description The one that was updated last comes first. `_links.next` is there while more follow.
         *
         *     Permission: `view.get_identifier`.
         */
        get: operations["listIdentifiers"];
        put?: never;
        /**
         * Create an identifier
         * @description An identifier that exists, also one that a receipt has brought, is 409 `identifier_exists`. A signature that carries `consumer` creates one of its values only.
         *
         *     Permission: `view.post_identifier`.
         */
        post: operations["createIdentifier"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identifiers/_search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search identifiers
         * @description The language is that of `GET /receipts/_search`. Texts are found by the beginning of their words, and as a whole under `.exact`. Identifiers that meet more of the plain conditions come first, then those that were created last. `hits` counts all that match; where `hits_relation` is `at_least` counting was cut short and there are more. `time` is in milliseconds.
         *
         *     Permission: `view.search_identifier`.
         */
        get: operations["searchIdentifiers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identifiers/_validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an e-mail address
         * @description `status` is `invalid` only when the address certainly takes no mail, so that nobody is sent away for a doubt: what could not be found out in time is `valid` with the result `unknown`. `suggestions` has what was probably meant.
         *
         *     Permission: `view.validate_identifier`.
         */
        post: operations["validateIdentifier"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identifiers/{identifier}/_erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase an identifier
         * @description For good. The receipts stay with their figures and lose whatever names the person; the identifier with its properties and its summary goes, rewards are kept under a name that is nobody, and deliveries lose their addresses. The work goes on after the answer 202 and is done within a minute, whatever fails meanwhile; asked again (without the same `Idempotency-Key`), the answer is 204 once it is done. `identifier.erased` tells of it. A later receipt with the same identifier makes it known anew.
         *
         *     Permission: `view.erase_identifier`.
         */
        post: operations["eraseIdentifier"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identifiers/{identifier}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export what is kept of an identifier
         * @description One JSON object a line: `{"type": "identifier", "identifier": {…}}`, then `{"type": "reward", "program_id": 1, "reward": {…}}` for each reward, then `{"type": "receipt", "receipt": {…}}` for each receipt in the order of arrival. An answer ends after some megabytes; where more follows, the header `Link` has the address of the rest with `rel="next"`.
         *
         *     Permission: `view.export_identifier`.
         */
        get: operations["exportIdentifier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/services/identifier/_catch_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Catch up summaries and rewards
         * @description Compares what is derived from receipts (summaries, identifiers that receipts bring, rewards) with the receipts themselves, in the background. The service does so by itself when it starts, after the broker was away, and now and then; this is for whoever does not want to wait.
         */
        post: operations["catchUpSummaries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a card against its registration code
         * @description A card that nobody knows is answered like a wrong code. After 10 wrong codes for one card in an hour, or 100 of one caller in ten minutes, every attempt is 429 until the time is over, the right code too.
         *
         *     Permission: `view.post_card`.
         */
        post: operations["verifyCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Import cards
         * @description As `application/json` an array of `{card_number, registration_code}`, as `text/csv` (RFC 4180) the same with a first line that names these two columns; at most 200000 cards. All or none: a faulty one is told with its place. A card that is there already gets the new code and counts as replaced; cards that are not named stay.
         */
        put: operations["importCards"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/loyalty/{program_id}/rewards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List loyalty rewards
         * @description All rewards, sorted by `timestamp`, descending. A long list is streamed; if it ends early, the connection is closed without the end of the body.
         *
         *     Permission: `view.get_loyalty`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["listRewards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/loyalty/{program_id}/rewards.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Loyalty rewards as CSV
         * @description The rewards of `GET /loyalty/{program_id}/rewards` as RFC 4180 with the columns id, identifier, name, claimed, value, timestamp, receipt_timestamp. A text that a spreadsheet would run begins with `'`.
         *
         *     Permission: `view.get_loyalty`.
         *
         *     A client whose setting `consumer_required` is on must give `consumer`.
         */
        get: operations["exportRewards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List retailers
         * @description The retailer that was created last comes first. `_links.next` is there while older ones follow.
         */
        get: operations["browseRetailers"];
        put?: never;
        /**
         * Create a retailer
         * @description Settings that are not given take their defaults, as the answer shows.
         */
        post: operations["createRetailer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a retailer
         * @description The settings show every member, also those that have their default.
         */
        get: operations["getRetailer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch a retailer
         * @description JSON Patch (RFC 6902) as `application/json-patch+json`, or JSON Merge Patch (RFC 7396) as `application/merge-patch+json` or `application/json`. A setting that is removed, or merged with null, returns to its default.
         */
        patch: operations["patchRetailer"];
        trace?: never;
    };
    "/operator/retailers/{id}/clients/{authentication}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a credential for a retailer
         * @description Body and answer as POST /clients/{authentication}; any permission can be granted.
         */
        post: operations["createFirstClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the queues of events of a retailer's integrators
         * @description By name; a retailer has at most 20. Passwords are not shown.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Give a retailer's integrator a queue of events
         * @description Makes a durable queue that gets the events of this retailer and of these types from now on, and a user who may consume from it and do nothing else. The password is shown this once. The queue keeps events for 30 days and at most 1 GiB of them (a setting), the oldest go first; whoever was away longer reads them from `GET /events`, as does a consumer whose broker was reset: its queue is made again, empty. The feed keeps the events of retailers that read it, so the consumer calls `GET /events` once before it begins, keeps `_links.next`, and follows it every day. 501 if the management interface of the broker is not configured.
         */
        post: operations["createSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}/subscriptions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take the queue of events from a retailer's integrator
         * @description Ends its connections, and removes its user and the queue with all that waits in it.
         */
        delete: operations["deleteSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List stores
         * @description The store that was created last comes first. `_links.next` is there while older ones follow.
         *
         *     Permission: `view.get_store`.
         */
        get: operations["listStores"];
        put?: never;
        /**
         * Create a store
         * @description A missing `reference` is allotted. `reference` and `external_reference` are each unique for a retailer; one that is taken answers 409 `store_exists`.
         *
         *     Permission: `view.post_store`.
         */
        post: operations["createStore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stores/{reference}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a store
         * @description By `reference` or by `external_reference`, percent-encoded. A text that equals an `external_reference` wins; otherwise digits name the `reference`, with or without leading zeros.
         *
         *     Permission: `view.get_store`.
         */
        get: operations["getStore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch a store
         * @description A JSON Patch (RFC 6902) of the store as GET returns it, applied all or nothing. Everything but `id` and `updated_timestamp` can be changed. With `If-Match` the patch is applied only to that version.
         *
         *     Permission: `view.patch_store`.
         */
        patch: operations["patchStore"];
        trace?: never;
    };
    "/clients/{authentication}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API clients
         * @description The client that was created last comes first. `_links.next` is there while older ones follow.
         *
         *     Permission: `view.get_client`.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Create an API client
         * @description A missing key and a missing secret are generated. A key is unique over all retailers. `signature_max_age` belongs to `hmac` clients only. A client that is made by one with `consumer_required` has it too.
         *
         *     Permission: `view.post_client`.
         */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/{authentication}/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API client
         * @description The secret is shown by the answers of POST and PATCH only.
         *
         *     Permission: `view.get_client`.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch an API client
         * @description Only one of the three permissions fields may be given. Nobody grants what they do not hold, and nobody patches a client that holds more than they do: the answer carries its secret. `settings` are merged member by member; `consumer_required` is changed only by a caller that does not have it.
         *
         *     Permission: `view.patch_client`.
         */
        patch: operations["patchClient"];
        trace?: never;
    };
    "/clients/bearer/{client_id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of a bearer client
         * @description The token that was issued last comes first. Tokens that an integrator signed itself are not known here. `last_used` is kept to the minute or so.
         *
         *     Permission: `view.get_client`.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Issue a bearer token
         * @description The token is a JSON Web Token (HS256) of the client. Without `expires_in` it lives until it is revoked. It is never shown again.
         *
         *     Permission: `view.patch_client`.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clients/bearer/{client_id}/tokens/_revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke tokens of a bearer client
         * @description One token by its `jti`, also one that the integrator signed itself, or with `all: true` every token that exists by now.
         *
         *     Permission: `view.patch_client`.
         */
        post: operations["revokeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/user/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or update a portal user
         * @description A user that another retailer or the operator has made cannot be managed here, which is 404. A new user gets an e-mail with a link to set a password, unless `send_password_reset_on_create` is false. A client with `consumer_required` cannot do this, as portal users see the receipts of all consumers.
         *
         *     Permission: `view.put_portal_user`.
         */
        put: operations["putPortalUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}/portal/user/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or update a user of a retailer's portal
         * @description As PUT /portal/user/{email}. A user that is created here is managed by the operator alone; one that the retailer made stays its own.
         */
        put: operations["putOperatorPortalUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/user/{email}/_send_password_reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Send a password reset e-mail
         * @description The link in it sets a new password, once, within a day; an earlier link ends. At most three an hour for one address.
         *
         *     Permission: `view.reset_portal_user`.
         */
        patch: operations["sendPasswordReset"];
        trace?: never;
    };
    "/operator/messages/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters
         * @description What could not be processed, with its reason, of one queue or of all. The newest comes first. `_links.next` is there while older ones follow.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/messages/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dead letter
         * @description With its content: the event, or the items of a command.
         */
        get: operations["getDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/messages/dead-letters/_replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay dead letters
         * @description Sends them back to their queue, with the same ids and their attempts counted anew. Ids that are not there are passed over; the answer says how many were replayed.
         */
        post: operations["replayDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/messages/dead-letters/_discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard dead letters
         * @description Removes them for good. Ids that are not there are passed over; the answer says how many were discarded.
         */
        post: operations["discardDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of the platform
         * @description Which services take requests, their processes and versions, what waits in the queues, and which events wait to be published. A service is ready while at least one process consumes its requests. Processes report every 5 seconds; one that was silent for 20 is not shown any more.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/throughput": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Throughput of the platform
         * @description What each service has worked on in the last half hour, in intervals of 10 seconds, the oldest first: requests that the gateway has answered, and messages that the other services have handled. Known since the instance of admin that answers was started; what processes report every 5 seconds counts for the interval in which it was heard.
         */
        get: operations["getThroughput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit log of the operator
         * @description Everything that was asked for under `/operator` and is not merely looked at, also what was refused. The newest comes first. Kept for a year.
         */
        get: operations["listOperatorActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: entrance
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: services
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: sign in
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsSignInPage"];
        put?: never;
        /**
         * Operations: sign in
         * @description A form of the operations pages, for browsers.
         */
        post: operations["operationsSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Operations: sign out
         * @description A form of the operations pages, for browsers.
         */
        post: operations["operationsSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: queues
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: dead letters
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsDeadLetters"];
        put?: never;
        /**
         * Operations: replay or discard dead letters
         * @description A form of the operations pages, for browsers.
         */
        post: operations["operationsDecideDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: a dead letter
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/packets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: failed packets
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsPackets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/packets/{retailer}/{packet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: a failed packet
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsPacket"];
        put?: never;
        /**
         * Operations: try a mapping on a packet
         * @description A form of the operations pages, for browsers.
         */
        post: operations["operationsTryPacket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: webhook endpoints in trouble
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: deliveries that wait
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/pages/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations: audit log
         * @description A page of the operations pages, for browsers.
         */
        get: operations["operationsAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal: entrance
         * @description A page of the retailer portal, for browsers.
         */
        get: operations["portalRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal: find receipts
         * @description A page of the retailer portal, for browsers.
         */
        get: operations["portalHome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal: sign in
         * @description A page of the retailer portal, for browsers.
         */
        get: operations["portalSignInPage"];
        put?: never;
        /**
         * Portal: sign in
         * @description A form of the retailer portal, for browsers.
         */
        post: operations["portalSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Portal: sign out
         * @description A form of the retailer portal, for browsers.
         */
        post: operations["portalSignOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/forgotten": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal: forgotten password
         * @description A page of the retailer portal, for browsers.
         */
        get: operations["portalForgottenPage"];
        put?: never;
        /**
         * Portal: ask for a new password
         * @description A form of the retailer portal, for browsers.
         */
        post: operations["portalForgotten"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal: choose a password
         * @description A page of the retailer portal, for browsers.
         */
        get: operations["portalPasswordPage"];
        put?: never;
        /**
         * Portal: set the password
         * @description A form of the retailer portal, for browsers.
         */
        post: operations["portalPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/receipts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal: a receipt
         * @description A page of the retailer portal, for browsers.
         */
        get: operations["portalReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/receipts/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Portal: send a receipt again
         * @description A form of the retailer portal, for browsers.
         */
        post: operations["portalSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/receipts/{id}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Portal: assign a receipt
         * @description A form of the retailer portal, for browsers.
         */
        post: operations["portalAssign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/mappings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mappings
         * @description The newest version of each mapping, by id; with `status`, the newest version that has it. `older` is the last id of the page before.
         *
         *     Permission: `view.manage_mapping`.
         */
        get: operations["listMappings"];
        put?: never;
        /**
         * Post a mapping
         * @description Makes the first version of a mapping, or the next version of one that exists, as a draft. Patterns have RE2 syntax. A pattern or an expression that cannot be compiled is 422.
         *
         *     Permission: `view.manage_mapping`.
         */
        post: operations["createMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/mappings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a mapping
         * @description The newest version, or the one that `version` names.
         *
         *     Permission: `view.manage_mapping`.
         */
        get: operations["getMapping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch a mapping
         * @description Applies a JSON Patch to the newest version and keeps the result as the next version, a draft.
         *
         *     Permission: `view.manage_mapping`.
         */
        patch: operations["patchMapping"];
        trace?: never;
    };
    "/pos/mappings/{id}/_activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a mapping
         * @description Runs the samples of the version (the newest unless another is named). When all pass, the version becomes active and the one that was active becomes inactive. Otherwise 422 says which sample differs, where and how.
         *
         *     Permission: `view.manage_mapping`.
         */
        post: operations["activateMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/mappings/{id}/_deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate a mapping
         * @description The active version becomes inactive. A mapping without an active version stays as it is.
         *
         *     Permission: `view.manage_mapping`.
         */
        post: operations["deactivateMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pos/mappings/_dry_run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a mapping
         * @description Answers the receipts, or every fault with its place, and the data as the expression sees it. `mapping` is a document, also as it was answered, or the id of one: then the newest version is tried. `time` is in milliseconds.
         *
         *     Permission: `view.manage_mapping`.
         */
        post: operations["dryRunMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/retailers/{id}/packets/{packet_id}/_dry_run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a mapping on a raw receipt
         * @description A dry run of the mapping that the raw receipt failed with, or of the one that is named, on its bytes. Nothing is changed; with an `Idempotency-Key` the answer is kept for 24 hours. `dry_run` is null where no mapping is known, or it is there no longer: then name one of `mappings`.
         */
        post: operations["tryPacket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        MappingDecode: {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "json";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "xml";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description Whether elements keep the prefixes of their namespaces. */
            keep_prefixes?: boolean;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "csv";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description What stands between two values; a comma unless given. */
            delimiter?: string;
            /** @description What encloses values; a double quote unless given. */
            quote?: string;
            /** @description True when the first line names the columns, or their names. */
            header?: boolean | string[];
            /** @description Lines at the beginning that are passed over. */
            skip_lines?: number;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "text";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
            /** @description What stands between two receipts. */
            split?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "escpos";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
            /** @description What stands between two receipts. */
            split?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "opos";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
            /** @description What stands between two receipts. */
            split?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "pdf";
            /** @description What stands between two receipts. */
            split?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
        };
        MappingDecodeAnswer: {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "json";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "xml";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description Whether elements keep the prefixes of their namespaces. */
            keep_prefixes?: boolean;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "csv";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description What stands between two values; a comma unless given. */
            delimiter?: string;
            /** @description What encloses values; a double quote unless given. */
            quote?: string;
            /** @description True when the first line names the columns, or their names. */
            header?: boolean | string[];
            /** @description Lines at the beginning that are passed over. */
            skip_lines?: number;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "text";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
            /** @description What stands between two receipts. */
            split?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "escpos";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
            /** @description What stands between two receipts. */
            split?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "opos";
            /** @description The code page of the text, such as `cp858`. */
            codepage?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
            /** @description What stands between two receipts. */
            split?: string;
        } | {
            /**
             * @description What kind it is.
             * @constant
             */
            type: "pdf";
            /** @description What stands between two receipts. */
            split?: string;
            /** @description The width of the paper, in characters. */
            columns?: number;
        };
        MappingDocumentAnswer: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /** @description A sentence for people. */
            description?: string;
            match?: components["schemas"]["MappingMatchAnswer"];
            decode: components["schemas"]["MappingDecodeAnswer"];
            extract?: components["schemas"]["MappingExtractAnswer"];
            /** @description How decoded data become a receipt. */
            transform: {
                /**
                 * @description The language of the expression.
                 * @constant
                 */
                language: "jsonata";
                /** @description What makes receipts of the data, in JSONata. */
                expression: string;
            };
            /** @description What a receipt has where the mapping gives nothing. */
            defaults?: {
                [key: string]: unknown;
            };
            limits?: components["schemas"]["MappingLimitsAnswer"];
            /** @description Examples with what must come out of them; a mapping that fails one cannot be activated. */
            samples?: components["schemas"]["MappingSampleAnswer"][];
            /** @description Counts the changes, from 1. */
            version: number;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "draft" | "active" | "inactive";
        };
        MappingExtract: {
            /** @description Single values, by the lines in which they stand. */
            fields?: {
                [key: string]: {
                    /** @description Lines that match it are taken. */
                    line: string;
                    /** @description The names of the groups of the expression, in their order. */
                    groups?: string[];
                    /** @description The last name. */
                    last?: boolean;
                };
            };
            /** @description Lists of lines, such as the items. */
            tables?: {
                [key: string]: {
                    /** @description The first day. */
                    from?: string;
                    /** @description The last day. */
                    to?: string;
                    /** @description A line that matches it begins a row. */
                    row: string;
                    /** @description Lines that match it belong to the row before. */
                    continuation?: string;
                };
            };
        };
        MappingExtractAnswer: {
            /** @description Single values, by the lines in which they stand. */
            fields?: {
                [key: string]: {
                    /** @description Lines that match it are taken. */
                    line: string;
                    /** @description The names of the groups of the expression, in their order. */
                    groups?: string[];
                    /** @description The last name. */
                    last?: boolean;
                };
            };
            /** @description Lists of lines, such as the items. */
            tables?: {
                [key: string]: {
                    /** @description The first day. */
                    from?: string;
                    /** @description The last day. */
                    to?: string;
                    /** @description A line that matches it begins a row. */
                    row: string;
                    /** @description Lines that match it belong to the row before. */
                    continuation?: string;
                };
            };
        };
        MappingLimits: {
            /** @description Milliseconds of processor time. */
            timeout_ms?: number;
            /** @description Megabytes of memory. */
            memory_mb?: number;
            /** @description The largest result, in kilobytes. */
            max_output_kb?: number;
            /** @description The most receipts of one packet. */
            max_receipts?: number;
        };
        MappingLimitsAnswer: {
            /** @description Milliseconds of processor time. */
            timeout_ms?: number;
            /** @description Megabytes of memory. */
            memory_mb?: number;
            /** @description The largest result, in kilobytes. */
            max_output_kb?: number;
            /** @description The most receipts of one packet. */
            max_receipts?: number;
        };
        MappingMatch: {
            /** @description The media type. */
            content_type?: string[];
            /** @description The source of the entry. */
            source_id?: string[];
            /** @description The reference of the store, or its external reference. */
            store_reference?: string[];
            /** @description The name of the till. */
            till_id?: string[];
            /** @description Texts of which at least one occurs in the data, compared as UTF-8 bytes with case. Tells formats with the same content type apart. */
            contains?: string[];
        };
        MappingMatchAnswer: {
            /** @description The media type. */
            content_type?: string[];
            /** @description The source of the entry. */
            source_id?: string[];
            /** @description The reference of the store, or its external reference. */
            store_reference?: string[];
            /** @description The name of the till. */
            till_id?: string[];
            /** @description Texts of which at least one occurs in the data, compared as UTF-8 bytes with case. Tells formats with the same content type apart. */
            contains?: string[];
        };
        MappingSample: {
            /** @description Raw data, in base64. */
            input_base64: string;
            /** @description The media type. */
            content_type?: string;
            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
            properties?: {
                [key: string]: unknown;
            };
            /** @description What was said about the packet when it was posted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The receipt that must result, or several. */
            expect: {
                [key: string]: unknown;
            } | {
                [key: string]: unknown;
            }[];
        };
        MappingSampleAnswer: {
            /** @description Raw data, in base64. */
            input_base64: string;
            /** @description The media type. */
            content_type?: string;
            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
            properties?: {
                [key: string]: unknown;
            };
            /** @description What was said about the packet when it was posted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The receipt that must result, or several. */
            expect: {
                [key: string]: unknown;
            } | {
                [key: string]: unknown;
            }[];
        };
        MappingVersion: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /** @description Counts the changes, from 1. */
            version: number;
        };
        PacketFault: {
            /** @description A JSON Pointer to the place. */
            path: string;
            /** @description A short word for programs. */
            code: string;
            /** @description A sentence for people. */
            message: string;
        };
        PacketMetadata: {
            /** @description True for another copy of a receipt that was posted before. */
            duplicate?: boolean;
            /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
            external_id?: string;
            /** @description The number of the sale at the retailer, unique for each retailer. */
            transaction_id?: string;
            /** @description The reference of the store, or its external reference. */
            store_reference?: string;
            /** @description The name of the till. */
            till_id?: string;
            /** @description The id of the till. */
            till_uuid?: string;
            /** @description The source of the entry. */
            source_id?: string;
            /** @description When the entry was made, ISO 8601. */
            source_read?: string;
            /** @description The entry at its source: posted again it is accepted and not converted twice. */
            entry_id?: string;
            /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
            identifier?: string;
            /** @description The mapping that converts it. */
            mapping?: string;
        };
        PacketView: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /**
             * @description The state that it is in.
             * @enum {string}
             */
            status: "accepted" | "converted" | "failed";
            /** @description Why it is so. */
            reason: ("no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed") | null;
            /** @description Everything that is wrong. */
            errors: components["schemas"]["PacketFault"][];
            /** @description The media type. */
            content_type: string | null;
            /** @description Bytes. */
            size: number;
            /** @description When it came in. */
            received_timestamp: string;
            /** @description When it was last changed. */
            updated_timestamp: string;
            /** @description How often it was tried. */
            attempts: number;
            /** @description The mapping that converts it. */
            mapping: components["schemas"]["MappingVersion"] | null;
            metadata: components["schemas"]["PacketMetadata"];
            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
            properties: {
                [key: string]: string;
            };
            /** @description The first receipt that was made of it. */
            receipt_id: string;
            /** @description All receipts that were made of it. */
            receipt_ids: string[];
            /** @description True for another copy of a receipt that was posted before. */
            duplicate: boolean;
        };
        PostedEndpoint: {
            /**
             * Format: uri
             * @description The URL that receives events by POST. It must use https unless the installation allows http.
             * @example https://shop.example/hooks/receipts
             */
            url: string;
            /** @description A note of your own about the endpoint. */
            description?: string | null;
            /**
             * @description Event types to send, or globs in which `*` matches any characters.
             * @example [
             *       "receipt.*",
             *       "delivery.failed"
             *     ]
             */
            event_types?: string[];
            /**
             * @description A query in the search language. Receipt events are sent only if their receipt matches it; other events are not filtered. An event without the receipt is matched against its current state. `receipt.deleted` is always sent.
             * @example +total:[100 TO *] -items.return:*
             */
            filter?: string | null;
            /**
             * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
             * @enum {string}
             */
            payload?: "thin" | "full";
            /**
             * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject were delivered or have failed for good; other subjects are not delayed. A view of a receipt waits for earlier events of the receipt and delays later views only.
             * @enum {string}
             */
            ordering?: "none" | "subject";
            /** @description `false` stops deliveries. Events of that time can be sent later with `_recover`. */
            enabled?: boolean;
        };
        PostedMapping: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /** @description A sentence for people. */
            description?: string;
            match?: components["schemas"]["MappingMatch"];
            decode: components["schemas"]["MappingDecode"];
            extract?: components["schemas"]["MappingExtract"];
            /** @description How decoded data become a receipt. */
            transform: {
                /**
                 * @description The language of the expression.
                 * @constant
                 */
                language: "jsonata";
                /** @description What makes receipts of the data, in JSONata. */
                expression: string;
            };
            /** @description What a receipt has where the mapping gives nothing. */
            defaults?: {
                [key: string]: unknown;
            };
            limits?: components["schemas"]["MappingLimits"];
            /** @description Examples with what must come out of them; a mapping that fails one cannot be activated. */
            samples?: components["schemas"]["MappingSample"][];
        };
        PostedReceipt: {
            /** @description The number of the sale at the retailer, unique for each retailer. */
            transaction_id: string;
            /**
             * @description Date and time of the sale, ISO 8601. Without an offset the time zone of the receipt, the store or the retailer holds.
             * @example 2024-05-17T14:03:22+02:00
             * @example 2024-05-17T14:03:22
             */
            localtime: string;
            /** @description The reference of the store, or its external reference. */
            store_reference: string | number;
            /** @description What was to be paid, in the currency of the receipt. */
            total: number;
            /** @description What was sold or taken back, in the order of the slip. */
            items: ({
                /** @description The name for people to read. */
                name: string;
                /** @description How many, or how much of the unit. Negative for what was taken back. */
                quantity: number;
                /** @description What was to be paid, in the currency of the receipt. */
                total: number;
                /** @description What the quantity counts, such as `pcs` or `kg`. */
                unit?: string | null;
                /** @description The amount without taxes. */
                net?: number | null;
                /** @description The amount with taxes. */
                gross?: number | null;
                /** @description The price of one. */
                unit_price?: number | null;
                /** @description The price of one with taxes. */
                gross_unit_price?: number | null;
                /** @description The price of one without taxes. */
                net_unit_price?: number | null;
                /** @description Value-added tax. Deprecated: use `taxes`. */
                vat?: {
                    /** @description The rate in percent. */
                    rate: number;
                    /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                    amount: number;
                    /** @description A short word for programs. */
                    code?: string | null;
                } | null;
                /** @description Taxes that are part of the amount. */
                taxes?: {
                    /** @description The name for people to read. */
                    name: string;
                    /** @description The rate in percent. */
                    rate?: number | null;
                    /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                    amount: number;
                    /** @description A short word for programs. */
                    code?: string | null;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties?: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description What was taken off the price. Signs are the retailer’s. */
                discounts?: {
                    /** @description The name for people to read. */
                    name: string;
                    /** @description How many, or how much of the unit. Negative for what was taken back. */
                    quantity?: number | null;
                    /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                    amount: number;
                    /** @description The discount in percent. */
                    percentage?: number | null;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties?: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description Present on an item that was brought back. */
                return?: {
                    /**
                     * @description Date and time of the sale, ISO 8601. Without an offset the time zone of the receipt, the store or the retailer holds.
                     * @example 2024-05-17T14:03:22+02:00
                     * @example 2024-05-17T14:03:22
                     */
                    localtime: string;
                    /** @description Why it is so. */
                    reason?: string | null;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties?: {
                        [key: string]: unknown;
                    };
                } | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties?: {
                    /** @description Further details. */
                    details?: string | string[];
                } & {
                    [key: string]: unknown;
                };
                /** @description Fields that are configured for the retailer; they can be searched. */
                dynamic?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
            identifier?: string | null;
            /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
            external_id?: string | null;
            /** @description True for another copy of a receipt that was posted before. */
            duplicate?: boolean;
            /** @description True while something is missing from the receipt. */
            incomplete?: boolean;
            /** @description What it came to before discounts and taxes, as the retailer counts. */
            subtotal?: number | null;
            /** @description The amount without taxes. */
            net?: number | null;
            /** @description The amount with taxes. */
            gross?: number | null;
            /**
             * @deprecated
             * @description Value-added tax. Deprecated: use `taxes`.
             */
            vat?: {
                /** @description The rate in percent. */
                rate: number;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description A short word for programs. */
                code?: string | null;
            }[];
            /** @description Taxes that are part of the amount. */
            taxes?: {
                /** @description The name for people to read. */
                name: string;
                /** @description The rate in percent. */
                rate?: number | null;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description A short word for programs. */
                code?: string | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What was taken off the price. Signs are the retailer’s. */
            discounts?: {
                /** @description The name for people to read. */
                name: string;
                /** @description How many, or how much of the unit. Negative for what was taken back. */
                quantity?: number | null;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description The discount in percent. */
                percentage?: number | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description How it was paid. */
            payments?: {
                /** @description How it was paid, such as `card`, `cash` or `giftcard`. */
                method: string;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency?: ("AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL") | null;
                /** @description Of a card the last four digits, of a gift card its number. */
                number?: string | null;
                /** @description What kind it is. */
                type?: string | null;
                /** @description The issue number of the card. */
                issue?: string | null;
                /** @description From when the card is valid. */
                start?: string | null;
                /** @description Until when the card is valid. */
                end?: string | null;
                /** @description The number of the purchase order. */
                po_number?: string | null;
                /** @description The change that was given. */
                change?: number | null;
                /** @description What was rounded off in cash. */
                rounding?: number | null;
                /** @description Until when the gift card is valid. */
                expiry?: string | null;
                /** @description What is left on the gift card. */
                balance?: number | null;
                /** @description Further details. */
                details?: {
                    /** @description Of a card the last four digits, of a gift card its number. */
                    number?: string | null;
                    /** @description What kind it is. */
                    type?: string | null;
                    /** @description The issue number of the card. */
                    issue?: string | null;
                    /** @description From when the card is valid. */
                    start?: string | null;
                    /** @description Until when the card is valid. */
                    end?: string | null;
                    /** @description The number of the purchase order. */
                    po_number?: string | null;
                    /** @description The change that was given. */
                    change?: number | null;
                    /** @description What was rounded off in cash. */
                    rounding?: number | null;
                    /** @description Until when the gift card is valid. */
                    expiry?: string | null;
                    /** @description What is left on the gift card. */
                    balance?: number | null;
                };
            }[];
            /** @description The id of the till. */
            till_uuid?: string | null;
            /** @description Language, time zone and currency of the receipt. What is missing is taken from the store, then from the retailer. */
            l10n?: {
                /** @description A locale, such as `en_GB`. */
                locale?: string | null;
                /** @description The locale of the translations to show, such as `de_AT`. */
                translation_locale?: string | null;
                /** @description A time zone of the IANA database, such as `Europe/Paris`. */
                timezone?: string | null;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency?: ("AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL") | null;
            };
            store?: components["schemas"]["PostedStore"];
            /** @description Files that belong to it, each under a label. */
            attachments?: {
                [key: string]: {
                    /** @description Names this thing; unique for each retailer. */
                    id?: string;
                    /** @description The bytes, in base64. */
                    data?: string;
                    /** @description The media type. */
                    content_type?: string;
                    /** @description A Content-Disposition header, for the name of the file. */
                    content_disposition?: string;
                } & (unknown | unknown);
            };
            properties?: components["schemas"]["ReceiptProperties"];
            /** @description Fields that are configured for the retailer; they can be searched. */
            dynamic?: {
                [key: string]: unknown;
            };
        };
        PostedStore: {
            /** @description The retailer’s number of the store. */
            reference?: number | null;
            /** @description The retailer’s own name of the store. */
            external_reference?: string | null;
            /** @description The name for people to read. */
            name: string;
            /** @description The lines of the address. */
            address?: string[] | null;
            /** @description The city. */
            city?: string | null;
            /** @description The postcode. */
            postcode?: string | null;
            /**
             * @description A country of ISO 3166, three letters, such as `FRA`.
             * @example FRA
             */
            country: string;
            /** @description A telephone number. */
            phone?: string | null;
            /** @description A locale, such as `en_GB`. */
            locale?: string | null;
            /** @description A time zone of the IANA database, such as `Europe/Paris`. */
            timezone?: string | null;
            /** @description A currency of ISO 4217, such as `EUR`. */
            currency?: ("AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL") | null;
            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
            properties?: unknown;
            /** @description Settings; see the description of each. */
            settings?: unknown;
        };
        ReceiptLinks: {
            /** @description The receipt as a page. */
            webview: {
                /** @description The address, relative to the base URL. */
                href: string;
                /** @description A QR code of the page. */
                qrcode: {
                    /** @description The address, relative to the base URL. */
                    href: string;
                };
            };
            /** @description The receipt as a PDF. */
            pdf: {
                /** @description The address, relative to the base URL. */
                href: string;
            };
        };
        ReceiptProperties: {
            /** @description An e-mail address. */
            email?: string | null;
            /** @description Whether and how this receipt is sent by e-mail. */
            email_settings?: {
                /** @description True to send it, false never to. */
                send?: boolean;
                /** @description The template of the message. */
                template?: string;
                /** @description True to send it to nobody. */
                block?: boolean;
            };
            /** @description Whether this receipt is sent by text message. */
            messaging_settings?: {
                /** @description Text messages (SMS). */
                sms?: {
                    /** @description True to send it, false never to. */
                    send?: boolean;
                };
                /** @description Messages over WhatsApp. */
                whatsapp?: {
                    /** @description True to send it, false never to. */
                    send?: boolean;
                };
            };
        } & {
            [key: string]: unknown;
        };
        /** @default {} */
        RetailerSettings: {
            /**
             * @description A time zone of the IANA database, such as `Europe/Paris`.
             * @default UTC
             * @example Europe/Paris
             */
            timezone?: string;
            /**
             * @description A currency of ISO 4217, such as `EUR`.
             * @default EUR
             * @example EUR
             * @enum {string}
             */
            currency?: "AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL";
            /**
             * @description A locale, such as `en_GB`.
             * @default en_GB
             */
            locale?: string;
            /**
             * @description Whether the answer to POST /receipts carries `_links`.
             * @default false
             */
            response_links?: boolean;
            /**
             * @description How the stores of receipts are dealt with.
             * @default {}
             */
            stores?: {
                /**
                 * @description Whether a store that a receipt names is made from what the receipt says.
                 * @default false
                 */
                from_receipt?: boolean;
                /**
                 * @description Whether receipts of unknown stores are refused.
                 * @default false
                 */
                require_known?: boolean;
            };
            /**
             * @description Ways to send a receipt, such as `email`.
             * @default {}
             */
            channels?: {
                /**
                 * @description An e-mail address.
                 * @default {}
                 */
                email?: {
                    /**
                     * @description False to switch it off.
                     * @default true
                     */
                    enabled?: boolean;
                    /**
                     * @description The first day.
                     * @default null
                     */
                    from?: string | null;
                    /**
                     * @description The address for answers to mails.
                     * @default null
                     */
                    reply_to?: string | null;
                };
                /**
                 * @description Text messages (SMS).
                 * @default {}
                 */
                sms?: {
                    /**
                     * @description False to switch it off.
                     * @default false
                     */
                    enabled?: boolean;
                    /**
                     * @description The account with a provider of messages, by the name that the installation has given it; null takes the first one of this channel.
                     * @default null
                     */
                    account?: string | null;
                    /**
                     * @description Who sends: a number, a name or a messaging service for SMS, the id of a number for WhatsApp; null takes the account's.
                     * @default null
                     */
                    from?: string | null;
                };
                /**
                 * @description Messages over WhatsApp.
                 * @default {}
                 */
                whatsapp?: {
                    /**
                     * @description False to switch it off.
                     * @default false
                     */
                    enabled?: boolean;
                    /**
                     * @description The account with a provider of messages, by the name that the installation has given it; null takes the first one of this channel.
                     * @default null
                     */
                    account?: string | null;
                    /**
                     * @description Who sends: a number, a name or a messaging service for SMS, the id of a number for WhatsApp; null takes the account's.
                     * @default null
                     */
                    from?: string | null;
                };
            };
            /**
             * @description Whether receipts are sent by e-mail on arrival.
             * @default false
             */
            auto_send?: boolean;
            /**
             * @description What web pages of other origins may do.
             * @default {}
             */
            cors?: {
                /**
                 * @description Origins of web pages whose scripts may read with a URL signature, and send receipts. Others are blocked by browsers.
                 * @default []
                 */
                origins?: string[];
            };
            /**
             * @description The names that groups of portal users may have.
             * @default []
             */
            portal_groups?: string[];
            /**
             * @description What the users of a portal group may do. Whoever has no group, or one that is not named here, may look receipts up.
             * @default {}
             */
            portal_permissions?: {
                [key: string]: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
            };
            /**
             * @description How cards of consumers are dealt with.
             * @default {}
             */
            cards?: {
                /**
                 * @description False to switch it off.
                 * @default false
                 */
                enabled?: boolean;
                /**
                 * @description How the check digit of a card number is computed.
                 * @default none
                 * @enum {string}
                 */
                check?: "none" | "luhn";
            };
            /**
             * @description The loyalty programmes.
             * @default []
             */
            loyalty?: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @description The name for people to read. */
                name: string;
                /** @description For what points are given. */
                rule: {
                    /** @description The points for what is spent. */
                    spend: number;
                    /** @description The value. */
                    value: number;
                    /** @description The name for people to read. */
                    name: string;
                };
            }[];
            /**
             * @description The fields under `dynamic` that can be searched, and their types.
             * @default {}
             */
            dynamic_fields?: {
                /**
                 * @description What concerns whole receipts.
                 * @default {}
                 */
                receipt?: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
                /**
                 * @description A word in the name of an item.
                 * @default {}
                 */
                item?: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
            };
            /**
             * @description How words of a search without an operator are joined.
             * @default or
             * @enum {string}
             */
            search_default_operator?: "or" | "and";
            /**
             * @description How renderings look.
             * @default {}
             */
            brand?: {
                /**
                 * @description The name for people to read.
                 * @default null
                 */
                name?: string | null;
                /**
                 * @description The address of the image above receipts.
                 * @default null
                 */
                logo?: string | null;
                /**
                 * @description The colour of headings, such as `#0a6`.
                 * @default null
                 */
                colour?: string | null;
                /**
                 * @description A text above receipts.
                 * @default null
                 */
                header?: string | null;
                /**
                 * @description A text below receipts.
                 * @default null
                 */
                footer?: string | null;
                /**
                 * @description Links at the end of a rendering.
                 * @default []
                 */
                links?: {
                    /** @description The name for people to read. */
                    name: string;
                    /** @description The address, relative to the base URL. */
                    href: string;
                }[];
            };
            /**
             * @description Receipts older than this are deleted; null keeps them for ever.
             * @default null
             */
            retention_days?: number | null;
            /**
             * @description For how many days GET /events can go back.
             * @default 30
             */
            event_days?: number;
            /**
             * @description Names of members of `properties` that name a person; erasing an identifier removes them from its receipts.
             * @default []
             */
            personal_properties?: string[];
        };
        RetailerSettingsAnswer: {
            /**
             * @description A time zone of the IANA database, such as `Europe/Paris`.
             * @default UTC
             * @example Europe/Paris
             */
            timezone: string;
            /**
             * @description A currency of ISO 4217, such as `EUR`.
             * @default EUR
             * @example EUR
             * @enum {string}
             */
            currency: "AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL";
            /**
             * @description A locale, such as `en_GB`.
             * @default en_GB
             */
            locale: string;
            /**
             * @description Whether the answer to POST /receipts carries `_links`.
             * @default false
             */
            response_links: boolean;
            /** @description How the stores of receipts are dealt with. */
            stores: {
                /**
                 * @description Whether a store that a receipt names is made from what the receipt says.
                 * @default false
                 */
                from_receipt: boolean;
                /**
                 * @description Whether receipts of unknown stores are refused.
                 * @default false
                 */
                require_known: boolean;
            };
            /** @description Ways to send a receipt, such as `email`. */
            channels: {
                /** @description An e-mail address. */
                email: {
                    /**
                     * @description False to switch it off.
                     * @default true
                     */
                    enabled: boolean;
                    /**
                     * @description The first day.
                     * @default null
                     */
                    from: string | null;
                    /**
                     * @description The address for answers to mails.
                     * @default null
                     */
                    reply_to: string | null;
                };
                /** @description Text messages (SMS). */
                sms: {
                    /**
                     * @description False to switch it off.
                     * @default false
                     */
                    enabled: boolean;
                    /**
                     * @description The account with a provider of messages, by the name that the installation has given it; null takes the first one of this channel.
                     * @default null
                     */
                    account: string | null;
                    /**
                     * @description Who sends: a number, a name or a messaging service for SMS, the id of a number for WhatsApp; null takes the account's.
                     * @default null
                     */
                    from: string | null;
                };
                /** @description Messages over WhatsApp. */
                whatsapp: {
                    /**
                     * @description False to switch it off.
                     * @default false
                     */
                    enabled: boolean;
                    /**
                     * @description The account with a provider of messages, by the name that the installation has given it; null takes the first one of this channel.
                     * @default null
                     */
                    account: string | null;
                    /**
                     * @description Who sends: a number, a name or a messaging service for SMS, the id of a number for WhatsApp; null takes the account's.
                     * @default null
                     */
                    from: string | null;
                };
            };
            /**
             * @description Whether receipts are sent by e-mail on arrival.
             * @default false
             */
            auto_send: boolean;
            /** @description What web pages of other origins may do. */
            cors: {
                /**
                 * @description Origins of web pages whose scripts may read with a URL signature, and send receipts. Others are blocked by browsers.
                 * @default []
                 */
                origins: string[];
            };
            /**
             * @description The names that groups of portal users may have.
             * @default []
             */
            portal_groups: string[];
            /**
             * @description What the users of a portal group may do. Whoever has no group, or one that is not named here, may look receipts up.
             * @default {}
             */
            portal_permissions: {
                [key: string]: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
            };
            /** @description How cards of consumers are dealt with. */
            cards: {
                /**
                 * @description False to switch it off.
                 * @default false
                 */
                enabled: boolean;
                /**
                 * @description How the check digit of a card number is computed.
                 * @default none
                 * @enum {string}
                 */
                check: "none" | "luhn";
            };
            /**
             * @description The loyalty programmes.
             * @default []
             */
            loyalty: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @description The name for people to read. */
                name: string;
                /** @description For what points are given. */
                rule: {
                    /** @description The points for what is spent. */
                    spend: number;
                    /** @description The value. */
                    value: number;
                    /** @description The name for people to read. */
                    name: string;
                };
            }[];
            /** @description The fields under `dynamic` that can be searched, and their types. */
            dynamic_fields: {
                /**
                 * @description What concerns whole receipts.
                 * @default {}
                 */
                receipt: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
                /**
                 * @description A word in the name of an item.
                 * @default {}
                 */
                item: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
            };
            /**
             * @description How words of a search without an operator are joined.
             * @default or
             * @enum {string}
             */
            search_default_operator: "or" | "and";
            /** @description How renderings look. */
            brand: {
                /**
                 * @description The name for people to read.
                 * @default null
                 */
                name: string | null;
                /**
                 * @description The address of the image above receipts.
                 * @default null
                 */
                logo: string | null;
                /**
                 * @description The colour of headings, such as `#0a6`.
                 * @default null
                 */
                colour: string | null;
                /**
                 * @description A text above receipts.
                 * @default null
                 */
                header: string | null;
                /**
                 * @description A text below receipts.
                 * @default null
                 */
                footer: string | null;
                /**
                 * @description Links at the end of a rendering.
                 * @default []
                 */
                links: {
                    /** @description The name for people to read. */
                    name: string;
                    /** @description The address, relative to the base URL. */
                    href: string;
                }[];
            };
            /**
             * @description Receipts older than this are deleted; null keeps them for ever.
             * @default null
             */
            retention_days: number | null;
            /**
             * @description For how many days GET /events can go back.
             * @default 30
             */
            event_days: number;
            /**
             * @description Names of members of `properties` that name a person; erasing an identifier removes them from its receipts.
             * @default []
             */
            personal_properties: string[];
        };
        ReturnedReceipt: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /** @description The number of the sale at the retailer, unique for each retailer. */
            transaction_id: string;
            /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
            external_id: string | null;
            /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
            identifier: string | null;
            /** @description True for another copy of a receipt that was posted before. */
            duplicate: boolean;
            /** @description True while something is missing from the receipt. */
            incomplete: boolean;
            /** @description Date and time of the sale, ISO 8601. Without an offset the time zone of the receipt, the store or the retailer holds. */
            localtime: string;
            /** @description Date and time in UTC. */
            timestamp: string;
            /** @description The reference of the store, or its external reference. */
            store_reference: string;
            /** @description The store. */
            store: {
                /** @description The name for people to read. */
                name: string | null;
                /** @description The lines of the address. */
                address: string[];
                /** @description The city. */
                city: string | null;
                /** @description The postcode. */
                postcode: string | null;
                /** @description A country of ISO 3166, three letters, such as `FRA`. */
                country: string | null;
                /** @description A telephone number. */
                phone: string | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties: unknown;
            };
            /** @description The retailer. */
            retailer: {
                /** @description The name for people to read. */
                name: string;
                /** @description The VAT number. */
                vatno: string | null;
            };
            /** @description The id of the till. */
            till_uuid: string | null;
            /** @description What was to be paid, in the currency of the receipt. */
            total: number;
            /** @description What it came to before discounts and taxes, as the retailer counts. */
            subtotal: number | null;
            /** @description The amount without taxes. */
            net: number | null;
            /** @description The amount with taxes. */
            gross: number | null;
            /**
             * @deprecated
             * @description Value-added tax. Deprecated: use `taxes`.
             */
            vat: {
                /** @description The rate in percent. */
                rate: number;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description A short word for programs. */
                code: string | null;
            }[];
            /** @description Taxes that are part of the amount. */
            taxes: {
                /** @description The name for people to read. */
                name: string;
                /** @description The rate in percent. */
                rate: number | null;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description A short word for programs. */
                code: string | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What was taken off the price. Signs are the retailer’s. */
            discounts: {
                /** @description The name for people to read. */
                name: string;
                /** @description How many, or how much of the unit. Negative for what was taken back. */
                quantity: number | null;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description The discount in percent. */
                percentage: number | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What was sold or taken back, in the order of the slip. */
            items: ({
                /** @description The name for people to read. */
                name: string;
                /** @description How many, or how much of the unit. Negative for what was taken back. */
                quantity: number;
                /** @description What the quantity counts, such as `pcs` or `kg`. */
                unit: string | null;
                /** @description What was to be paid, in the currency of the receipt. */
                total: number;
                /** @description The amount without taxes. */
                net: number | null;
                /** @description The amount with taxes. */
                gross: number | null;
                /** @description The price of one. */
                unit_price: number | null;
                /** @description The price of one with taxes. */
                gross_unit_price: number | null;
                /** @description The price of one without taxes. */
                net_unit_price: number | null;
                /** @description Value-added tax. Deprecated: use `taxes`. */
                vat: {
                    /** @description The rate in percent. */
                    rate: number;
                    /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                    amount: number;
                    /** @description A short word for programs. */
                    code: string | null;
                } | null;
                /** @description Taxes that are part of the amount. */
                taxes: {
                    /** @description The name for people to read. */
                    name: string;
                    /** @description The rate in percent. */
                    rate: number | null;
                    /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                    amount: number;
                    /** @description A short word for programs. */
                    code: string | null;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description What was taken off the price. Signs are the retailer’s. */
                discounts: {
                    /** @description The name for people to read. */
                    name: string;
                    /** @description How many, or how much of the unit. Negative for what was taken back. */
                    quantity: number | null;
                    /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                    amount: number;
                    /** @description The discount in percent. */
                    percentage: number | null;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description Present on an item that was brought back. */
                return: {
                    /** @description Date and time of the sale, ISO 8601. Without an offset the time zone of the receipt, the store or the retailer holds. */
                    localtime: string;
                    /** @description Why it is so. */
                    reason: string | null;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties: {
                        [key: string]: unknown;
                    };
                } | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties: {
                    [key: string]: unknown;
                };
                /** @description Fields that are configured for the retailer; they can be searched. */
                dynamic: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            /** @description How it was paid. */
            payments: {
                /** @description How it was paid, such as `card`, `cash` or `giftcard`. */
                method: string;
                /** @description An amount of money, in the currency of the receipt. Signs are the retailer’s. */
                amount: number;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency: string | null;
                /** @description Of a card the last four digits, of a gift card its number. */
                number?: string | null;
                /** @description What kind it is. */
                type?: string | null;
                /** @description The issue number of the card. */
                issue?: string | null;
                /** @description From when the card is valid. */
                start?: string | null;
                /** @description Until when the card is valid. */
                end?: string | null;
                /** @description The number of the purchase order. */
                po_number?: string | null;
                /** @description The change that was given. */
                change?: number | null;
                /** @description What was rounded off in cash. */
                rounding?: number | null;
                /** @description Until when the gift card is valid. */
                expiry?: string | null;
                /** @description What is left on the gift card. */
                balance?: number | null;
                /** @description Further details. */
                details?: {
                    /** @description Of a card the last four digits, of a gift card its number. */
                    number?: string | null;
                    /** @description What kind it is. */
                    type?: string | null;
                    /** @description The issue number of the card. */
                    issue?: string | null;
                    /** @description From when the card is valid. */
                    start?: string | null;
                    /** @description Until when the card is valid. */
                    end?: string | null;
                    /** @description The number of the purchase order. */
                    po_number?: string | null;
                    /** @description The change that was given. */
                    change?: number | null;
                    /** @description What was rounded off in cash. */
                    rounding?: number | null;
                    /** @description Until when the gift card is valid. */
                    expiry?: string | null;
                    /** @description What is left on the gift card. */
                    balance?: number | null;
                };
            }[];
            /** @description Language, time zone and currency of the receipt. What is missing is taken from the store, then from the retailer. */
            l10n: {
                /** @description A locale, such as `en_GB`. */
                locale: string;
                /** @description The locale of the translations to show, such as `de_AT`. */
                translation_locale: string | null;
                /** @description A time zone of the IANA database, such as `Europe/Paris`. */
                timezone: string;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency: string;
            };
            /** @description The packets from which the receipt was made. */
            pos_data_ids: string[];
            /** @description Files that belong to it, each under a label. */
            attachments: {
                [key: string]: {
                    /** @description Names this thing; unique for each retailer. */
                    id: string;
                    /** @description Where it can be fetched. */
                    url: string;
                    /** @description The media type. */
                    content_type: string;
                    /** @description The name of the file. */
                    filename: string | null;
                    /** @description Bytes. */
                    size: number;
                };
            };
            properties: components["schemas"]["ReceiptProperties"];
            /** @description Fields that are configured for the retailer; they can be searched. */
            dynamic: {
                [key: string]: unknown;
            };
        };
        __schema0: {
            /** @description From when the card is valid. */
            start: number;
            /** @description Until when the card is valid. */
            end: number;
            text: string;
            /** @enum {string} */
            occur: "must" | "should" | "must_not";
            field?: string;
            /** @description What kind it is. */
            type?: string;
            test?: unknown;
            clauses?: components["schemas"]["__schema0"][];
        };
        /** @description What every refusal looks like. Some errors carry more, such as the `id` of what exists already. */
        Error: {
            /** @description A sentence for people. */
            description: string;
            /** @description The reason phrase of the status code, in lower case. */
            status: string;
            /** @description A stable word for programs. `/docs/errors/{code}` says why it is given and what to do. */
            code?: string;
            /** @description Everything that is wrong with the body or the parameters. */
            errors?: {
                /** @description A JSON Pointer. */
                path: string;
                /** @description A stable word for programs. */
                code: string;
                /** @description A sentence for people. */
                message: string;
            }[];
            /** @description The id of the request, also in the header `request-id`. */
            request_id: string;
        };
    };
    responses: {
        /** @description the request is not well-formed HTTP; a parameter is invalid; the body is not valid JSON */
        "400-bad_request-invalid_parameter-malformed_body": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description credentials are missing or invalid */
        "401-unauthorized": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description `Bearer`; with `error="invalid_token"` if the request carried a token (RFC 6750). */
                "WWW-Authenticate"?: "Bearer" | "Bearer error=\"invalid_token\"";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the URL signature is invalid; permission denied; identifier and consumers don't match */
        "403-invalid_signature-permission_denied-consumer_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the answer is not available in a type that the Accept header allows */
        "406-not_acceptable": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request did not arrive in time */
        "408-request_timeout": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a receipt with this transaction id exists; a receipt with this external id exists; the idempotency key was used with another request */
        "409-duplicate_transaction_id-duplicate_external_id-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the stored receipt is too large; a header, or all headers together, are too large */
        "413-body_too_large-headers_too_large": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the query string is too large */
        "414-query_too_large": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the content type of the body is not supported here */
        "415-unsupported_media_type": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description On PATCH: what is accepted. */
                "Accept-Patch"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description only Expect: 100-continue is supported */
        "417-expectation_failed": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description of a card number only the last four digits may be sent; store can not be set or updated from receipt; store not found; attachment not found; the body does not match the schema; the body has too many values */
        "422-card_number_too_long-store_not_allowed-store_not_found-attachment_not_found-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many requests, try again later */
        "429-rate_limited": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description internal error */
        "500-internal_error": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the service is not available at the moment, try again */
        "503-unavailable": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the cursor is unknown; the request is not well-formed HTTP; a parameter is invalid; service-api-version must be 1 or 2 */
        "400-unknown_cursor-bad_request-invalid_parameter-unsupported_version": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the URL signature is invalid; permission denied */
        "403-invalid_signature-permission_denied": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a header, or all headers together, are too large */
        "413-headers_too_large": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body is not a JSON Patch document; the request is not well-formed HTTP; a parameter is invalid; the body is not valid JSON */
        "400-malformed_patch-bad_request-invalid_parameter-malformed_body": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied; identifier and consumers don't match; the URL signature is invalid */
        "403-permission_denied-consumer_mismatch-invalid_signature": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt not found */
        "404-receipt_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt processing is pending; a test operation of the patch failed; the resource was changed at the same time, try again */
        "409-processing_pending-patch_test_failed-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the receipt was deleted */
        "410-receipt_deleted": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the entity tag does not match */
        "412-precondition_failed": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a header, or all headers together, are too large; the body is too large */
        "413-headers_too_large-body_too_large": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description an operation of the patch cannot be applied; the patch changes a field that cannot be changed; the body does not match the schema; the body has too many values */
        "422-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request is not well-formed HTTP; a parameter is invalid */
        "400-bad_request-invalid_parameter": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt processing is pending; the resource was changed at the same time, try again */
        "409-processing_pending-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt processing is pending */
        "409-processing_pending": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description identifier and consumers don't match; the URL signature is invalid; permission denied */
        "403-consumer_mismatch-invalid_signature-permission_denied": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt processing is pending; the resource was changed at the same time, try again; the idempotency key was used with another request */
        "409-processing_pending-conflict-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt not found; the receipt is assigned to another identifier; the body does not match the schema; the body has too many values */
        "422-receipt_not_found-receipt_already_assigned-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid query; the request is not well-formed HTTP; a parameter is invalid */
        "400-invalid_query-bad_request-invalid_parameter": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many searches at a time */
        "429-rate_limited-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied */
        "403-permission_denied": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such retailer */
        "404-not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the idempotency key was used with another request */
        "409-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body does not match the schema; the body has too many values */
        "422-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a receipt with this external id exists; the idempotency key was used with another request */
        "409-duplicate_external_id-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body does not match the schema; attachment not found */
        "422-schema_validation_failed-attachment_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description attachment not found; the body does not match the schema; the body has too many values */
        "422-attachment_not_found-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a Content-Disposition header with a file name is required; the request is not well-formed HTTP; a parameter is invalid */
        "400-filename_missing-bad_request-invalid_parameter": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the attachment is too large; a header, or all headers together, are too large */
        "413-body_too_large-headers_too_large-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description attachment not found */
        "404-attachment_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the cursor is unknown; the request is not well-formed HTTP; a parameter is invalid */
        "400-unknown_cursor-bad_request-invalid_parameter": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description packet not found */
        "404-packet_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the packet has been converted already; the resource was changed at the same time, try again; the idempotency key was used with another request */
        "409-packet_converted-conflict-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt processing is pending; the idempotency key was used with another request */
        "409-processing_pending-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description receipt not found; the channel is not available; the body does not match the schema; the body has too many values */
        "422-receipt_not_found-channel_not_available-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many receipts were sent to this address, or this receipt too many times */
        "429-rate_limited-3": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description this is not what the provider of the account sends; the request is not well-formed HTTP; a parameter is invalid */
        "400-malformed_body-bad_request-invalid_parameter": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description this was not signed by the provider of the account */
        "403-invalid_signature": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such account */
        "404-not_found-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request is not well-formed HTTP; a parameter is invalid */
        "400-bad_request-invalid_parameter-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description this link leads to no receipt, or it was revoked */
        "404-link_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the answer is not available in a type that the Accept header allows */
        "406-not_acceptable-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the request did not arrive in time */
        "408-request_timeout-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description a header, or all headers together, are too large */
        "413-headers_too_large-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the query string is too large */
        "414-query_too_large-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description only Expect: 100-continue is supported */
        "417-expectation_failed-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description too many requests, try again later */
        "429-rate_limited-4": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description internal error */
        "500-internal_error-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the service is not available at the moment, try again */
        "503-unavailable-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description this link leads to no receipt, or it was revoked */
        "404-link_not_found-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a client or signature that is confined to consumers cannot be used here; the URL signature is invalid; permission denied */
        "403-consumer_mismatch-invalid_signature-permission_denied-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a retailer has at most 1000 webhook endpoints; the body does not match the schema */
        "422-too_many-schema_validation_failed": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such webhook endpoint */
        "404-not_found-3": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a test operation of the patch failed; the resource was changed at the same time, try again */
        "409-patch_test_failed-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the resource was changed at the same time, try again; the idempotency key was used with another request */
        "409-conflict-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such webhook delivery */
        "404-not_found-4": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description an attempt of this webhook delivery is being made; the webhook endpoint is disabled; the idempotency key was used with another request */
        "409-delivery_in_progress-endpoint_disabled-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the event is not kept any more */
        "410-event_expired": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the webhook endpoint is disabled; the idempotency key was used with another request */
        "409-endpoint_disabled-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description events after this cursor are no longer there: they are too old, or were lost with a restored backup */
        "410-cursor_expired": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description identifier not found */
        "404-identifier_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the identifier exists already; the idempotency key was used with another request */
        "409-identifier_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many validations at a time */
        "429-rate_limited-5": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid card number; invalid registration code; retailer has no cards; the request is not well-formed HTTP; a parameter is invalid; the body is not valid JSON */
        "400-invalid_card_number-invalid_registration_code-retailer_has_no_cards-bad_request-invalid_parameter-malformed_body": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many wrong codes */
        "429-rate_limited-6": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body is not valid JSON; the request is not well-formed HTTP; a parameter is invalid */
        "400-malformed_body-bad_request-invalid_parameter-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body does not match the schema */
        "422-schema_validation_failed": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such loyalty programme */
        "404-not_found-5": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a retailer with this id exists; the idempotency key was used with another request */
        "409-retailer_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a client with this key exists; the idempotency key was used with another request */
        "409-client_key_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the retailer has a subscription of this name; the idempotency key was used with another request */
        "409-subscription_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a retailer has at most 20 subscriptions; the body does not match the schema */
        "422-too_many-schema_validation_failed-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description RabbitMQ's management interface is not configured: set BROKER_MANAGEMENT_URL (http://user:password@host:15672) and restart */
        "501-broker_management_missing": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the retailer has no such subscription */
        "404-not_found-6": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a store with this reference exists; the idempotency key was used with another request */
        "409-store_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such store */
        "404-not_found-7": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a store with this reference exists; a test operation of the patch failed; the resource was changed at the same time, try again */
        "409-store_exists-patch_test_failed-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such client */
        "404-not_found-8": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied: a client cannot grant permissions that it does not hold; the URL signature is invalid */
        "403-permission_denied-invalid_signature": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a client with this key exists; the resource was changed at the same time, try again */
        "409-client_key_exists-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied: the client holds permissions that the caller does not hold; the URL signature is invalid */
        "403-permission_denied-invalid_signature-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the client is revoked; the body does not match the schema; the body has too many values */
        "422-client_revoked-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many tokens of the client are revoked one by one, use another client; the body does not match the schema; the body has too many values */
        "422-too_many_revocations-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request is not well-formed HTTP; a parameter is invalid; the body is not valid JSON; the portal user is incorrect */
        "400-bad_request-invalid_parameter-malformed_body-invalid_portal_user": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no portal user of this e-mail address that can be managed here */
        "404-not_found-9": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the resource was changed at the same time, try again */
        "409-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body has too many values */
        "422-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many password resets were asked for this address, try again later */
        "429-rate_limited-7": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description Seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such queue */
        "404-queue_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description there is no such queue; there is no such dead letter */
        "404-queue_not_found-not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request is not well-formed HTTP; a parameter is invalid; the body is not valid JSON */
        "400-bad_request-invalid_parameter-malformed_body-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description permission denied */
        "403-permission_denied-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the idempotency key was used with another request */
        "409-idempotency_mismatch-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description a header, or all headers together, are too large; the body is too large */
        "413-headers_too_large-body_too_large-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the content type of the body is not supported here */
        "415-unsupported_media_type-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description On PATCH: what is accepted. */
                "Accept-Patch"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the body does not match the schema; the body has too many values */
        "422-schema_validation_failed-too_many-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description this link no longer works */
        "404-not_found-10": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the mapping can not be used; the body does not match the schema; the body has too many values */
        "422-mapping_invalid-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description mapping not found */
        "404-mapping_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the mapping can not be used; an operation of the patch cannot be applied; the patch changes a field that cannot be changed; the body does not match the schema; the body has too many values */
        "422-mapping_invalid-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the mapping can not be used; the samples of the mapping do not give what they expect; the body does not match the schema; the body has too many values */
        "422-mapping_invalid-samples_failed-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description packet not found; mapping not found */
        "404-packet_not_found-mapping_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Readable formatting. */
        pretty: boolean;
        /**
         * @description Makes the request safe to repeat.
         * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
         */
        "Idempotency-Key": string;
        /** @description Chooses the version. Echoed in the answer. */
        "service-api-version": "1" | "2";
    };
    requestBodies: never;
    headers: {
        /** @description Names this request in our logs. */
        "request-id": string;
        /** @description The new resource, relative to the base URL; on a redirect the address to follow. */
        Location: string;
        /** @description This is the answer of an earlier request with the same key. */
        "idempotent-replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listReceiptsV1: {
        parameters: {
            query?: {
                /**
                 * @description Identifiers of the consumer.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /**
                 * @description Ids of receipts.
                 * @example [
                 *       "6a1f3c2b9d4e5f60718293a4"
                 *     ]
                 */
                id?: string[];
                /**
                 * @description Ids of stores.
                 * @example [
                 *       "17"
                 *     ]
                 */
                store_id?: number[];
                /**
                 * @description References or external references of stores.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /**
                 * @description Transaction ids of the retailer.
                 * @example [
                 *       "2026-03-14/17/4711"
                 *     ]
                 */
                transaction_id?: string[];
                /** @description The most receipts of one page. */
                count?: number;
                /**
                 * @description The id of a receipt: return the receipts next to it that are newer.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                newer?: string;
                /**
                 * @description The id of a receipt: return the receipts next to it that are older. Only in version 1.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
                /**
                 * @description The value of a `next` link. Only in version 2.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                next?: string;
                /**
                 * @description The value of a `prev` link. Only in version 2.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                prev?: string;
            };
            header?: {
                /** @description Chooses the version. Echoed in the answer. */
                "service-api-version"?: components["parameters"]["service-api-version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is listed, in the shape of the version that the header `service-api-version` chose. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReturnedReceipt"][] | {
                        /** @description Where to go from here. */
                        _links: {
                            /** @description The first page. */
                            latest: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                            /** @description What has arrived since. */
                            newer?: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                            /** @description The page before; absent on the first one. */
                            prev?: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                        };
                        receipts: components["schemas"]["ReturnedReceipt"][];
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter-unsupported_version"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createReceipt: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "transaction_id": "2024-05-17-0042",
                 *       "localtime": "2024-05-17T14:03:22",
                 *       "store_reference": 1,
                 *       "identifier": "jane@example.com",
                 *       "total": 12.4,
                 *       "items": [
                 *         {
                 *           "name": "Coffee",
                 *           "name:fr": "Café",
                 *           "quantity": 2,
                 *           "total": 7.4,
                 *           "vat": {
                 *             "rate": 20,
                 *             "amount": 1.23
                 *           }
                 *         },
                 *         {
                 *           "name": "Cake",
                 *           "quantity": 1,
                 *           "total": 5,
                 *           "properties": {
                 *             "category": "bakery"
                 *           }
                 *         }
                 *       ],
                 *       "payments": [
                 *         {
                 *           "method": "card",
                 *           "amount": 12.4,
                 *           "details": {
                 *             "number": "1234",
                 *             "type": "VISA"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PostedReceipt"];
            };
        };
        responses: {
            /** @description Post a receipt */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6650f2c81b3c9a0012ab34cd"
                     *     }
                     */
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        _links?: components["schemas"]["ReceiptLinks"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-duplicate_transaction_id-duplicate_external_id-idempotency_mismatch"];
            413: components["responses"]["413-body_too_large-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-card_number_too_long-store_not_allowed-store_not_found-attachment_not_found-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getReceipt: {
        parameters: {
            query?: {
                /**
                 * @description Identifiers of the consumer.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6650f2c81b3c9a0012ab34cd",
                     *       "transaction_id": "2024-05-17-0042",
                     *       "external_id": null,
                     *       "identifier": "jane@example.com",
                     *       "duplicate": false,
                     *       "incomplete": false,
                     *       "localtime": "2024-05-17T14:03:22+02:00",
                     *       "timestamp": "2024-05-17T12:03:22+00:00",
                     *       "store_reference": "1",
                     *       "store": {
                     *         "name": "Opéra",
                     *         "address": [
                     *           "12 rue de la Paix"
                     *         ],
                     *         "city": "Paris",
                     *         "postcode": "75002",
                     *         "country": "FRA",
                     *         "phone": null,
                     *         "properties": {}
                     *       },
                     *       "retailer": {
                     *         "name": "Demo",
                     *         "vatno": null
                     *       },
                     *       "till_uuid": null,
                     *       "total": 12.4,
                     *       "subtotal": null,
                     *       "net": null,
                     *       "gross": null,
                     *       "vat": [],
                     *       "taxes": [],
                     *       "discounts": [],
                     *       "items": [
                     *         {
                     *           "unit": null,
                     *           "net": null,
                     *           "gross": null,
                     *           "unit_price": null,
                     *           "gross_unit_price": null,
                     *           "net_unit_price": null,
                     *           "vat": {
                     *             "rate": 20,
                     *             "amount": 1.23,
                     *             "code": null
                     *           },
                     *           "taxes": [],
                     *           "discounts": [],
                     *           "return": null,
                     *           "properties": {},
                     *           "dynamic": {},
                     *           "name": "Coffee",
                     *           "name:fr": "Café",
                     *           "quantity": 2,
                     *           "total": 7.4
                     *         },
                     *         {
                     *           "unit": null,
                     *           "net": null,
                     *           "gross": null,
                     *           "unit_price": null,
                     *           "gross_unit_price": null,
                     *           "net_unit_price": null,
                     *           "vat": null,
                     *           "taxes": [],
                     *           "discounts": [],
                     *           "return": null,
                     *           "properties": {
                     *             "category": "bakery"
                     *           },
                     *           "dynamic": {},
                     *           "name": "Cake",
                     *           "quantity": 1,
                     *           "total": 5
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "method": "card",
                     *           "amount": 12.4,
                     *           "currency": null,
                     *           "details": {
                     *             "number": "1234",
                     *             "type": "VISA"
                     *           }
                     *         }
                     *       ],
                     *       "l10n": {
                     *         "locale": "fr_FR",
                     *         "translation_locale": null,
                     *         "timezone": "Europe/Paris",
                     *         "currency": "EUR"
                     *       },
                     *       "pos_data_ids": [],
                     *       "attachments": {},
                     *       "properties": {},
                     *       "dynamic": {}
                     *     }
                     */
                    "application/json": components["schemas"]["ReturnedReceipt"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending"];
            410: components["responses"]["410-receipt_deleted"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    deleteReceipt: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a receipt */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-conflict"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchReceipt: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "op": "add",
                 *         "path": "/identifier",
                 *         "value": "jane@example.com"
                 *       },
                 *       {
                 *         "op": "replace",
                 *         "path": "/properties/email_settings/send",
                 *         "value": false
                 *       }
                 *     ]
                 */
                "application/json-patch+json": unknown;
                "application/json": {
                    /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                    identifier: string;
                };
            };
        };
        responses: {
            /** @description Patch a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6650f2c81b3c9a0012ab34cd",
                     *       "transaction_id": "2024-05-17-0042",
                     *       "external_id": null,
                     *       "identifier": "jane@example.com",
                     *       "duplicate": false,
                     *       "incomplete": false,
                     *       "localtime": "2024-05-17T14:03:22+02:00",
                     *       "timestamp": "2024-05-17T12:03:22+00:00",
                     *       "store_reference": "1",
                     *       "store": {
                     *         "name": "Opéra",
                     *         "address": [
                     *           "12 rue de la Paix"
                     *         ],
                     *         "city": "Paris",
                     *         "postcode": "75002",
                     *         "country": "FRA",
                     *         "phone": null,
                     *         "properties": {}
                     *       },
                     *       "retailer": {
                     *         "name": "Demo",
                     *         "vatno": null
                     *       },
                     *       "till_uuid": null,
                     *       "total": 12.4,
                     *       "subtotal": null,
                     *       "net": null,
                     *       "gross": null,
                     *       "vat": [],
                     *       "taxes": [],
                     *       "discounts": [],
                     *       "items": [
                     *         {
                     *           "unit": null,
                     *           "net": null,
                     *           "gross": null,
                     *           "unit_price": null,
                     *           "gross_unit_price": null,
                     *           "net_unit_price": null,
                     *           "vat": {
                     *             "rate": 20,
                     *             "amount": 1.23,
                     *             "code": null
                     *           },
                     *           "taxes": [],
                     *           "discounts": [],
                     *           "return": null,
                     *           "properties": {},
                     *           "dynamic": {},
                     *           "name": "Coffee",
                     *           "name:fr": "Café",
                     *           "quantity": 2,
                     *           "total": 7.4
                     *         },
                     *         {
                     *           "unit": null,
                     *           "net": null,
                     *           "gross": null,
                     *           "unit_price": null,
                     *           "gross_unit_price": null,
                     *           "net_unit_price": null,
                     *           "vat": null,
                     *           "taxes": [],
                     *           "discounts": [],
                     *           "return": null,
                     *           "properties": {
                     *             "category": "bakery"
                     *           },
                     *           "dynamic": {},
                     *           "name": "Cake",
                     *           "quantity": 1,
                     *           "total": 5
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "method": "card",
                     *           "amount": 12.4,
                     *           "currency": null,
                     *           "details": {
                     *             "number": "1234",
                     *             "type": "VISA"
                     *           }
                     *         }
                     *       ],
                     *       "l10n": {
                     *         "locale": "fr_FR",
                     *         "translation_locale": null,
                     *         "timezone": "Europe/Paris",
                     *         "currency": "EUR"
                     *       },
                     *       "pos_data_ids": [],
                     *       "attachments": {},
                     *       "properties": {},
                     *       "dynamic": {}
                     *     }
                     */
                    "application/json": components["schemas"]["ReturnedReceipt"];
                };
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-consumer_mismatch-invalid_signature"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-patch_test_failed-conflict"];
            410: components["responses"]["410-receipt_deleted"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    assignReceipt: {
        parameters: {
            query?: {
                /**
                 * @description Identifiers of the consumer.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "6650f2c81b3c9a0012ab34cd",
                 *       "identifier": "jane@example.com"
                 *     }
                 */
                "application/json": {
                    /** @description Names this thing; unique for each retailer. */
                    id?: string;
                    /** @description The number of the sale at the retailer, unique for each retailer. */
                    transaction_id?: string;
                    /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
                    external_id?: string;
                    /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                    identifier: string;
                } & (unknown | unknown | unknown);
            };
        };
        responses: {
            /** @description Assign a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReturnedReceipt"];
                };
            };
            /** @description Assign a receipt */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-conflict-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-receipt_not_found-receipt_already_assigned-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    searchReceipts: {
        parameters: {
            query: {
                /**
                 * @description The query in the search language: fields separated by spaces.
                 * @example items.name:coffee +total:[10 TO *]
                 */
                query: string;
                /**
                 * @description Identifiers of the consumer.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description The most receipts of one page. */
                count?: number;
                /** @description How many hits to leave out first. */
                offset?: number;
                /** @description Whether to tell how the query was understood and why each receipt was found. */
                explain?: boolean;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Search receipts */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hits": 1,
                     *       "hits_relation": "eq",
                     *       "receipts": [
                     *         {
                     *           "id": "6650f2c81b3c9a0012ab34cd",
                     *           "transaction_id": "2024-05-17-0042",
                     *           "external_id": null,
                     *           "identifier": "jane@example.com",
                     *           "duplicate": false,
                     *           "incomplete": false,
                     *           "localtime": "2024-05-17T14:03:22+02:00",
                     *           "timestamp": "2024-05-17T12:03:22+00:00",
                     *           "store_reference": "1",
                     *           "store": {
                     *             "name": "Opéra",
                     *             "address": [
                     *               "12 rue de la Paix"
                     *             ],
                     *             "city": "Paris",
                     *             "postcode": "75002",
                     *             "country": "FRA",
                     *             "phone": null,
                     *             "properties": {}
                     *           },
                     *           "retailer": {
                     *             "name": "Demo",
                     *             "vatno": null
                     *           },
                     *           "till_uuid": null,
                     *           "total": 12.4,
                     *           "subtotal": null,
                     *           "net": null,
                     *           "gross": null,
                     *           "vat": [],
                     *           "taxes": [],
                     *           "discounts": [],
                     *           "items": [
                     *             {
                     *               "unit": null,
                     *               "net": null,
                     *               "gross": null,
                     *               "unit_price": null,
                     *               "gross_unit_price": null,
                     *               "net_unit_price": null,
                     *               "vat": {
                     *                 "rate": 20,
                     *                 "amount": 1.23,
                     *                 "code": null
                     *               },
                     *               "taxes": [],
                     *               "discounts": [],
                     *               "return": null,
                     *               "properties": {},
                     *               "dynamic": {},
                     *               "name": "Coffee",
                     *               "name:fr": "Café",
                     *               "quantity": 2,
                     *               "total": 7.4
                     *             },
                     *             {
                     *               "unit": null,
                     *               "net": null,
                     *               "gross": null,
                     *               "unit_price": null,
                     *               "gross_unit_price": null,
                     *               "net_unit_price": null,
                     *               "vat": null,
                     *               "taxes": [],
                     *               "discounts": [],
                     *               "return": null,
                     *               "properties": {
                     *                 "category": "bakery"
                     *               },
                     *               "dynamic": {},
                     *               "name": "Cake",
                     *               "quantity": 1,
                     *               "total": 5
                     *             }
                     *           ],
                     *           "payments": [
                     *             {
                     *               "method": "card",
                     *               "amount": 12.4,
                     *               "currency": null,
                     *               "details": {
                     *                 "number": "1234",
                     *                 "type": "VISA"
                     *               }
                     *             }
                     *           ],
                     *           "l10n": {
                     *             "locale": "fr_FR",
                     *             "translation_locale": null,
                     *             "timezone": "Europe/Paris",
                     *             "currency": "EUR"
                     *           },
                     *           "pos_data_ids": [],
                     *           "attachments": {},
                     *           "properties": {},
                     *           "dynamic": {}
                     *         }
                     *       ],
                     *       "time": 3
                     *     }
                     */
                    "application/json": {
                        /** @description How many there are in all. */
                        hits: number;
                        /**
                         * @description `eq`, or `at_least` when counting was cut short by its time.
                         * @enum {string}
                         */
                        hits_relation: "eq" | "at_least";
                        receipts: components["schemas"]["ReturnedReceipt"][];
                        /** @description Milliseconds that it took. */
                        time: number;
                        explain?: {
                            /** @description A query in the search language: `path:value`, separated by blanks. */
                            query: {
                                /**
                                 * @description The token of the operator.
                                 * @enum {string}
                                 */
                                operator: "or" | "and";
                                clauses: components["schemas"]["__schema0"][];
                            };
                            /** @description How many there are in all. */
                            hits: {
                                /** @description Names this thing; unique for each retailer. */
                                id: string;
                                matched: {
                                    /** @description From when the card is valid. */
                                    start: number;
                                    /** @description Until when the card is valid. */
                                    end: number;
                                    text: string;
                                }[];
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["400-invalid_query-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited-2"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    reindexReceipts: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": 500
                 *     }
                 */
                "application/json": {
                    /** @description The place in the order of arrival after which to begin: `next` of the answer before. From the first if absent. */
                    after?: number;
                    /** @description How many receipts at most; 500 if absent. */
                    count?: number;
                };
            };
        };
        responses: {
            /** @description Make receipts findable anew */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "examined": 500,
                     *       "changed": 12,
                     *       "next": 1000
                     *     }
                     */
                    "application/json": {
                        /** @description How many receipts were looked at. */
                        examined: number;
                        /** @description How many of them are found by something else now. */
                        changed: number;
                        /** @description Where to go on; null when there are no more. */
                        next: number | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    acceptPacket: {
        parameters: {
            query?: {
                /** @description Marks a duplicate receipt. */
                duplicate?: boolean;
                /**
                 * @description A UUIDv4. The same bytes again are accepted and converted once, other bytes are 409.
                 * @example 0f8fad5b-d9cb-469f-a165-70867728950e
                 */
                external_id?: string;
                /**
                 * @description Fills in the transaction id where the mapping gives none.
                 * @example 2026-03-14/17/4711
                 */
                transaction_id?: string;
                /**
                 * @description Fills in the store, and helps to choose the mapping.
                 * @example 1
                 */
                store_reference?: string;
                /**
                 * @description Helps to choose the mapping.
                 * @example 3
                 */
                till_id?: string;
                /**
                 * @description Fills in the till.
                 * @example 7c9e6679-7425-40de-944b-e07fc1f90ae7
                 */
                till_uuid?: string;
                /**
                 * @description Helps to choose the mapping.
                 * @example pos-4
                 */
                source_id?: string;
                /**
                 * @description Fills in the consumer.
                 * @example jane@example.com
                 */
                identifier?: string;
                /**
                 * @description The id of the mapping to use.
                 * @example vendor-json
                 */
                mapping?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /** @description Marks a duplicate receipt. */
                "service-duplicate"?: boolean;
                /**
                 * @description A UUIDv4. The same bytes again are accepted and converted once, other bytes are 409.
                 * @example 0f8fad5b-d9cb-469f-a165-70867728950e
                 */
                "service-external-id"?: string;
                /**
                 * @description Fills in the transaction id where the mapping gives none.
                 * @example 2026-03-14/17/4711
                 */
                "service-transaction-id"?: string;
                /**
                 * @description Fills in the store, and helps to choose the mapping.
                 * @example 1
                 */
                "service-store-reference"?: string;
                /**
                 * @description Helps to choose the mapping.
                 * @example 3
                 */
                "service-till-id"?: string;
                /**
                 * @description Fills in the till.
                 * @example 7c9e6679-7425-40de-944b-e07fc1f90ae7
                 */
                "service-till-uuid"?: string;
                /**
                 * @description Helps to choose the mapping.
                 * @example pos-4
                 */
                "service-source-id"?: string;
                /**
                 * @description Fills in the consumer.
                 * @example jane@example.com
                 */
                "service-identifier"?: string;
                /**
                 * @description The id of the mapping to use.
                 * @example vendor-json
                 */
                "service-mapping"?: string;
                /**
                 * @description `<attachment_id>; label=<label>`; may be repeated, or hold several, separated by commas.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                "service-attachment-id"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Post a raw receipt */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-duplicate_external_id-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-attachment_not_found"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    postPosData: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The source of the entry. */
                    source_id: string;
                    /**
                     * @description When the entry was made, ISO 8601.
                     * @example 2024-05-17T14:03:22+02:00
                     * @example 2024-05-17T14:03:22
                     */
                    source_read: string;
                    /** @description The entry at its source: posted again it is accepted and not converted twice. */
                    entry_id: string;
                    /** @description The reference of the store, or its external reference. */
                    store_reference: string | number;
                    /** @description The name of the till. */
                    till_id: string;
                    /** @description The id of the till. */
                    till_uuid: string;
                    /** @description What concerns whole receipts. */
                    receipt: string;
                    /** @description True for another copy of a receipt that was posted before. */
                    duplicate?: boolean;
                    /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
                    external_id?: string;
                    /** @description Files that belong to it, each under a label. */
                    attachments?: {
                        [key: string]: {
                            /** @description Names this thing; unique for each retailer. */
                            id?: string;
                            /** @description The bytes, in base64. */
                            data?: string;
                            /** @description The media type. */
                            content_type?: string;
                            /** @description A Content-Disposition header, for the name of the file. */
                            content_disposition?: string;
                        } & (unknown | unknown);
                    };
                };
            };
        };
        responses: {
            /** @description Post a POS data entry */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-duplicate_external_id-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-attachment_not_found-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createAttachment: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header: {
                /**
                 * @description `attachment; filename=<name>`: the name of the file.
                 * @example attachment; filename=guarantee.pdf
                 */
                "content-disposition": string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Post an attachment */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description Where it can be fetched. */
                        url: string;
                    };
                };
            };
            400: components["responses"]["400-filename_missing-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-body_too_large-headers_too_large-2"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an attachment */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-attachment_not_found"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listPackets: {
        parameters: {
            query?: {
                /** @description Only those in this state. */
                status?: "accepted" | "converted" | "failed";
                /** @description Only those with this reason. */
                reason?: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                /** @description How many at most. */
                count?: number;
                /**
                 * @description The id of a packet.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List raw receipts */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        packets: components["schemas"]["PacketView"][];
                        /** @description Where to go from here. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listFailedPackets: {
        parameters: {
            query?: {
                /**
                 * @description Only of this retailer.
                 * @example demo
                 */
                retailer?: string;
                /** @description Only what failed for this reason. */
                reason?: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                /**
                 * @description How many are shown in full; 20 when it is not given.
                 * @example 20
                 */
                count?: number;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Failed raw receipts */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        groups: {
                            /** @description The retailer. */
                            retailer: string;
                            /**
                             * @description Why it is so.
                             * @enum {string}
                             */
                            reason: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                            /** @description The mapping that failed; null where none was chosen. */
                            mapping: string | null;
                            packets: number;
                            /**
                             * Format: date-time
                             * @description When the oldest of them arrived.
                             */
                            oldest_timestamp: string;
                            /** Format: date-time */
                            newest_timestamp: string;
                            /** @description The id of the newest: a good one to try a mapping with. */
                            newest_packet: string;
                        }[];
                        is_complete: boolean;
                        packets: {
                            /** @description Names this thing; unique for each retailer. */
                            id: string;
                            /**
                             * @description The state that it is in.
                             * @enum {string}
                             */
                            status: "accepted" | "converted" | "failed";
                            /** @description Why it is so. */
                            reason: ("no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed") | null;
                            /** @description Everything that is wrong. */
                            errors: components["schemas"]["PacketFault"][];
                            /** @description The media type. */
                            content_type: string | null;
                            /** @description Bytes. */
                            size: number;
                            /** @description When it came in. */
                            received_timestamp: string;
                            /** @description When it was last changed. */
                            updated_timestamp: string;
                            /** @description How often it was tried. */
                            attempts: number;
                            /** @description The mapping that converts it. */
                            mapping: components["schemas"]["MappingVersion"] | null;
                            metadata: components["schemas"]["PacketMetadata"];
                            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                            properties: {
                                [key: string]: string;
                            };
                            /** @description The first receipt that was made of it. */
                            receipt_id: string;
                            /** @description All receipts that were made of it. */
                            receipt_ids: string[];
                            /** @description True for another copy of a receipt that was posted before. */
                            duplicate: boolean;
                            /** @description The retailer. */
                            retailer: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getPacket: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get what became of a raw receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PacketView"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-packet_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getPacketRaw: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the bytes of a raw receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-packet_not_found"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    reprocessPacket: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Convert a raw receipt again */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-packet_not_found"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-packet_converted-conflict-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    reprocessPackets: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Why it is so.
                     * @enum {string}
                     */
                    reason?: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                    /** @description The mapping that converts it. */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description Convert failed raw receipts again */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many. */
                        count: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    sendReceipt: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "6650d1c2a4b8e9f012345678",
                 *       "channels": [
                 *         "email"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Names this thing; unique for each retailer. */
                    id?: string;
                    /** @description The number of the sale at the retailer, unique for each retailer. */
                    transaction_id?: string;
                    /** @description Ways to send a receipt, such as `email`. */
                    channels: string[];
                    /**
                     * @description Instead of the address on the receipt: a plain address (RFC 5321), without quoting and comments; the domain may be international.
                     * @example jo@demo.example
                     */
                    email_address?: string;
                    /**
                     * @description Instead of the number on the receipt: 6 to 15 digits, as people write them.
                     * @example +33 6 12 34 56 78
                     */
                    phone_number?: string;
                    /** @description True to be told where it would go, without sending anything. */
                    resolve?: boolean;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description Send a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6650d1c2a4b8e9f012345678"
                     *     }
                     */
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description Ways to send a receipt, such as `email`. */
                        channels: ("email" | "sms" | "whatsapp")[];
                        /** @description Sent to this address instead of the one that is known. */
                        email_address: string | null;
                        /** @description Sent to this number instead of the one that is known. */
                        phone_number: string | null;
                    } | {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                    };
                };
            };
            /** @description Send a receipt */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6650d1c2a4b8e9f012345678"
                     *     }
                     */
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description Ways to send a receipt, such as `email`. */
                        channels: ("email" | "sms" | "whatsapp")[];
                        /** @description Sent to this address instead of the one that is known. */
                        email_address: string | null;
                        /** @description Sent to this number instead of the one that is known. */
                        phone_number: string | null;
                    } | {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-receipt_not_found-channel_not_available-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited-3"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Identifiers of the consumer.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the deliveries of a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /** @description Names this thing; unique for each retailer. */
                            id: string;
                            /**
                             * @description The way on which it is sent.
                             * @enum {string}
                             */
                            channel: "email" | "sms" | "whatsapp";
                            /** @description The lines of the address. */
                            address: string;
                            /**
                             * @description The state that it is in.
                             * @enum {string}
                             */
                            status: "pending" | "sent" | "failed" | "suppressed";
                            /** @description Why it is so. */
                            reason: string | null;
                            /** @description How often it was tried. */
                            attempts: number;
                            /** @description When it was asked for. */
                            requested_timestamp: string;
                            /** @description When it was last changed. */
                            updated_timestamp: string;
                            /** @description When it reached the consumer; absent where that is not known, as of every e-mail. */
                            delivered_timestamp?: string;
                        }[];
                        explain: {
                            /**
                             * @description The way on which it is sent.
                             * @enum {string}
                             */
                            channel: "email" | "sms" | "whatsapp";
                            step: string;
                            passed: boolean;
                            detail: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending"];
            410: components["responses"]["410-receipt_deleted"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listWaitingDeliveries: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deliveries that wait */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        groups: {
                            /** @description The retailer. */
                            retailer: string;
                            /**
                             * @description The way on which it is sent.
                             * @enum {string}
                             */
                            channel: "email" | "sms" | "whatsapp";
                            /** @description Null where it was not tried yet. */
                            reason: string | null;
                            deliveries: number;
                            /** @description The most that one of them has had. */
                            attempts: number;
                            /**
                             * Format: date-time
                             * @description When the oldest of them was asked for.
                             */
                            oldest_timestamp: string;
                            /** Format: date-time */
                            next_attempt_timestamp: string;
                            oldest_receipt: string;
                        }[];
                        is_complete: boolean;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    confirmChannelCallback: {
        parameters: {
            query?: {
                /**
                 * @description `subscribe`.
                 * @example subscribe
                 */
                "hub.mode"?: string;
                /**
                 * @description What was entered in the app.
                 * @example word
                 */
                "hub.verify_token"?: string;
                /**
                 * @description What is answered.
                 * @example 1158201444
                 */
                "hub.challenge"?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The name that the installation has given to the account.
                 * @example messages
                 */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirm the address of call-backs to a provider */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            403: components["responses"]["403-invalid_signature"];
            404: components["responses"]["404-not_found-2"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    receiveChannelReport: {
        parameters: {
            query?: {
                /**
                 * @description Names the message.
                 * @example main
                 */
                ref?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description HMAC-SHA1 over address and fields.
                 * @example RSOYDt4T1cUTdK1PDd93/VVr8B8=
                 */
                "x-twilio-signature"?: string;
                /**
                 * @description HMAC-SHA256 over the body.
                 * @example sha256=7d38cdd689735b008b3c702edd92eea23791c5f6
                 */
                "x-hub-signature-256"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The name that the installation has given to the account.
                 * @example messages
                 */
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": string;
                "application/json": string;
            };
        };
        responses: {
            /** @description Take a status call-back of a provider of messages */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-malformed_body-bad_request-invalid_parameter"];
            403: components["responses"]["403-invalid_signature"];
            404: components["responses"]["404-not_found-2"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getReceiptLinks: {
        parameters: {
            query?: {
                /**
                 * @description Identifiers of the consumer.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the links of a receipt's renderings */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        _links: components["schemas"]["ReceiptLinks"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending"];
            410: components["responses"]["410-receipt_deleted"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    revokeReceiptLinks: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke the links of a receipt's renderings */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Where to go from here. */
                        _links: components["schemas"]["ReceiptLinks"] | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-idempotency_mismatch"];
            410: components["responses"]["410-receipt_deleted"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    showReceipt: {
        parameters: {
            query?: {
                /**
                 * @description A language tag (RFC 5646).
                 * @example fr_FR
                 */
                lang?: string;
            };
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The `ETag` that the caller has: where it still holds, the answer is 304 without a body.
                 * @example "3"
                 */
                "if-none-match"?: string;
                /**
                 * @description The program that asks.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` where nobody looks yet.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show a receipt to its consumer */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/plain": string;
                };
            };
            /** @description Show a receipt to its consumer */
            304: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptPdf: {
        parameters: {
            query?: {
                /**
                 * @description A language tag (RFC 5646).
                 * @example fr_FR
                 */
                lang?: string;
                /** @description The paper: A4, or a roll of 80 mm. */
                format?: "a4" | "roll";
            };
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The program that asks.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` where nobody looks yet.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show a receipt as a PDF */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            404: components["responses"]["404-link_not_found-2"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    showReceiptQr: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The secret of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show the QR code of a receipt's page */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/svg+xml": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            404: components["responses"]["404-link_not_found-2"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    showUnsubscribe: {
        parameters: {
            query?: {
                /**
                 * @description A language tag (RFC 5646).
                 * @example fr_FR
                 */
                lang?: string;
            };
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
            };
            path: {
                /**
                 * @description The secret of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask a consumer whether they want no more receipts */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            404: components["responses"]["404-link_not_found-2"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    unsubscribe: {
        parameters: {
            query?: {
                /**
                 * @description A language tag (RFC 5646).
                 * @example fr_FR
                 */
                lang?: string;
            };
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The secret of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Send a consumer no more receipts */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            404: components["responses"]["404-link_not_found-2"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    catchUpDeliveries: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Catch up mails on arrival and events */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /**
                 * @description Endpoints on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhook endpoints */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The endpoints of this page, newest first. */
                        endpoints: {
                            /** @description The id of the endpoint. */
                            id: string;
                            /** @description The URL that receives events by POST. */
                            url: string;
                            /** @description A note of your own about the endpoint. */
                            description: string | null;
                            /** @description The event types or globs that are sent. */
                            event_types: string[];
                            /** @description The query that receipts must match; `null` if there is none. */
                            filter: string | null;
                            /**
                             * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
                             * @enum {string}
                             */
                            payload: "thin" | "full";
                            /**
                             * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject were delivered or have failed for good; other subjects are not delayed. A view of a receipt waits for earlier events of the receipt and delays later views only.
                             * @enum {string}
                             */
                            ordering: "none" | "subject";
                            /** @description `false` stops deliveries. Events of that time can be sent later with `_recover`. */
                            enabled: boolean;
                            /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                            disabled_reason: ("gone" | "failing") | null;
                            /** @description The time since which every attempt has failed; `null` while attempts succeed. */
                            failing_since: string | null;
                            /**
                             * Format: date-time
                             * @description When the endpoint was created.
                             */
                            created_timestamp: string;
                            /**
                             * Format: date-time
                             * @description When the endpoint last changed.
                             */
                            updated_timestamp: string;
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example/hooks/receipts",
                 *       "event_types": [
                 *         "receipt.*"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PostedEndpoint"];
            };
        };
        responses: {
            /** @description Create a webhook endpoint */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the endpoint. */
                        id: string;
                        /** @description The URL that receives events by POST. */
                        url: string;
                        /** @description A note of your own about the endpoint. */
                        description: string | null;
                        /** @description The event types or globs that are sent. */
                        event_types: string[];
                        /** @description The query that receipts must match; `null` if there is none. */
                        filter: string | null;
                        /**
                         * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
                         * @enum {string}
                         */
                        payload: "thin" | "full";
                        /**
                         * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject were delivered or have failed for good; other subjects are not delayed. A view of a receipt waits for earlier events of the receipt and delays later views only.
                         * @enum {string}
                         */
                        ordering: "none" | "subject";
                        /** @description `false` stops deliveries. Events of that time can be sent later with `_recover`. */
                        enabled: boolean;
                        /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                        disabled_reason: ("gone" | "failing") | null;
                        /** @description The time since which every attempt has failed; `null` while attempts succeed. */
                        failing_since: string | null;
                        /**
                         * Format: date-time
                         * @description When the endpoint was created.
                         */
                        created_timestamp: string;
                        /**
                         * Format: date-time
                         * @description When the endpoint last changed.
                         */
                        updated_timestamp: string;
                        /**
                         * @description The signing secret (Standard Webhooks): `whsec_` and the key in base64. It is shown only once; `null` in a repeated answer.
                         * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8mW6Vn2WJ0I=
                         */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-too_many-schema_validation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a webhook endpoint */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the endpoint. */
                        id: string;
                        /** @description The URL that receives events by POST. */
                        url: string;
                        /** @description A note of your own about the endpoint. */
                        description: string | null;
                        /** @description The event types or globs that are sent. */
                        event_types: string[];
                        /** @description The query that receipts must match; `null` if there is none. */
                        filter: string | null;
                        /**
                         * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
                         * @enum {string}
                         */
                        payload: "thin" | "full";
                        /**
                         * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject were delivered or have failed for good; other subjects are not delayed. A view of a receipt waits for earlier events of the receipt and delays later views only.
                         * @enum {string}
                         */
                        ordering: "none" | "subject";
                        /** @description `false` stops deliveries. Events of that time can be sent later with `_recover`. */
                        enabled: boolean;
                        /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                        disabled_reason: ("gone" | "failing") | null;
                        /** @description The time since which every attempt has failed; `null` while attempts succeed. */
                        failing_since: string | null;
                        /**
                         * Format: date-time
                         * @description When the endpoint was created.
                         */
                        created_timestamp: string;
                        /**
                         * Format: date-time
                         * @description When the endpoint last changed.
                         */
                        updated_timestamp: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a webhook endpoint */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @description The URL that receives events by POST. It must use https unless the installation allows http.
                     * @example https://shop.example/hooks/receipts
                     */
                    url?: string;
                    /** @description A note of your own about the endpoint. */
                    description?: string | null;
                    /**
                     * @description Event types to send, or globs in which `*` matches any characters.
                     * @example [
                     *       "receipt.*",
                     *       "delivery.failed"
                     *     ]
                     */
                    event_types?: string[];
                    /**
                     * @description A query in the search language. Receipt events are sent only if their receipt matches it; other events are not filtered. An event without the receipt is matched against its current state. `receipt.deleted` is always sent.
                     * @example +total:[100 TO *] -items.return:*
                     */
                    filter?: string | null;
                    /**
                     * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
                     * @enum {string}
                     */
                    payload?: "thin" | "full";
                    /**
                     * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject were delivered or have failed for good; other subjects are not delayed. A view of a receipt waits for earlier events of the receipt and delays later views only.
                     * @enum {string}
                     */
                    ordering?: "none" | "subject";
                    /** @description `false` stops deliveries. Events of that time can be sent later with `_recover`. */
                    enabled?: boolean;
                };
                "application/json-patch+json": unknown;
            };
        };
        responses: {
            /** @description Patch a webhook endpoint */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the endpoint. */
                        id: string;
                        /** @description The URL that receives events by POST. */
                        url: string;
                        /** @description A note of your own about the endpoint. */
                        description: string | null;
                        /** @description The event types or globs that are sent. */
                        event_types: string[];
                        /** @description The query that receipts must match; `null` if there is none. */
                        filter: string | null;
                        /**
                         * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
                         * @enum {string}
                         */
                        payload: "thin" | "full";
                        /**
                         * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject were delivered or have failed for good; other subjects are not delayed. A view of a receipt waits for earlier events of the receipt and delays later views only.
                         * @enum {string}
                         */
                        ordering: "none" | "subject";
                        /** @description `false` stops deliveries. Events of that time can be sent later with `_recover`. */
                        enabled: boolean;
                        /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                        disabled_reason: ("gone" | "failing") | null;
                        /** @description The time since which every attempt has failed; `null` while attempts succeed. */
                        failing_since: string | null;
                        /**
                         * Format: date-time
                         * @description When the endpoint was created.
                         */
                        created_timestamp: string;
                        /**
                         * Format: date-time
                         * @description When the endpoint last changed.
                         */
                        updated_timestamp: string;
                    };
                };
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-patch_test_failed-conflict"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rotate the secret of a webhook endpoint */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The signing secret (Standard Webhooks): `whsec_` and the key in base64. It is shown only once; `null` in a repeated answer.
                         * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8mW6Vn2WJ0I=
                         */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-conflict-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Test a webhook endpoint */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the delivery of the test event. */
                        id: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only deliveries of this status. */
                status?: "pending" | "succeeded" | "failed";
                /**
                 * @description Only events of this type, or of this glob.
                 * @example receipt.created
                 */
                type?: string;
                /**
                 * @description Deliveries on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the deliveries of a webhook endpoint */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The deliveries of this page, newest first. */
                        deliveries: {
                            /** @description The id of the delivery. */
                            id: string;
                            /** @description The id of the endpoint that receives the event. */
                            endpoint_id: string;
                            /** @description The id of the event, sent in the header `webhook-id`. */
                            event_id: string;
                            /** @description The type of the event, such as `receipt.created`. */
                            type: string;
                            /**
                             * @description `pending` until the receiver has accepted the event or the last attempt has failed.
                             * @enum {string}
                             */
                            status: "pending" | "succeeded" | "failed";
                            /** @description Why the delivery has failed or is still pending, such as `status` after a failed attempt. `earlier_event_pending` if an earlier event of the subject must be delivered first. `null` if it succeeded. */
                            reason: string | null;
                            /** @description The number of attempts so far. */
                            attempts: number;
                            /** @description When the next attempt is due; `null` if there is none. */
                            next_attempt_timestamp: string | null;
                            /**
                             * Format: date-time
                             * @description When the delivery was created.
                             */
                            created_timestamp: string;
                            /**
                             * Format: date-time
                             * @description When the delivery last changed.
                             */
                            updated_timestamp: string;
                            /** @description The most recent attempts, newest first. */
                            log: {
                                /**
                                 * Format: date-time
                                 * @description When the attempt began.
                                 */
                                timestamp: string;
                                /** @description Duration of the attempt in milliseconds. */
                                duration_ms: number;
                                /** @description The result of the attempt: `succeeded`, `status` (not a 2xx), `redirected`, `timeout`, `unreachable`, `address_refused`, `invalid_response`, `response_too_large`. */
                                outcome: string;
                                /** @description The code of the network error, such as `ECONNREFUSED`; `null` if the receiver answered. */
                                error: string | null;
                                /** @description The request without its body. */
                                request: {
                                    /** @description The URL to which the event was posted. */
                                    url: string;
                                    /** @description The headers that were sent, by lower-case name. */
                                    headers: {
                                        [key: string]: string;
                                    };
                                };
                                /** @description The response of the receiver; `null` if there was none. */
                                response: {
                                    /** @description The HTTP status code of the receiver. */
                                    status: number;
                                    /** @description The headers that the receiver returned, by lower-case name. */
                                    headers: {
                                        [key: string]: string;
                                    };
                                    /** @description The first characters of the body. */
                                    body: string;
                                } | null;
                            }[];
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replay a webhook delivery */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the replayed delivery. */
                        id: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-4"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-delivery_in_progress-endpoint_disabled-idempotency_mismatch"];
            410: components["responses"]["410-event_expired"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    recoverWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-11-20T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Events from this time on are sent again. A time without an offset is UTC.
                     */
                    since: string;
                    /**
                     * @description Send only events whose delivery has this status.
                     * @enum {string}
                     */
                    status?: "pending" | "succeeded" | "failed";
                };
            };
        };
        responses: {
            /** @description Recover a webhook endpoint */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the endpoint. */
                        id: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            404: components["responses"]["404-not_found-3"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-endpoint_disabled-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listWebhookEventTypes: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the types of events */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description All event types, sorted by name. */
                        event_types: {
                            /** @description The name of the event type, such as `receipt.created`. */
                            type: string;
                            /** @description The title of the event type. */
                            summary: string;
                            /** @description When the event occurs and what it contains. */
                            description: string;
                            /** @description The path of the JSON Schema of its `data`, relative to the base URL. */
                            schema: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listTroubledWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Webhook endpoints in trouble */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Failing endpoints, the longest failing first, then disabled ones, the latest first. */
                        endpoints: {
                            /** @description The id of the retailer that owns the endpoint. */
                            retailer: string;
                            /** @description The id of the endpoint. */
                            id: string;
                            /**
                             * @description Scheme, host and port of the URL of the endpoint.
                             * @example https://shop.example
                             */
                            origin: string;
                            /** @description The time since which every attempt has failed; `null` while attempts succeed. */
                            failing_since: string | null;
                            /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                            disabled_reason: ("gone" | "failing") | null;
                            /** @description When the platform disabled the endpoint; `null` if it has not. */
                            disabled_timestamp: string | null;
                            /** @description The number of pending deliveries, counted up to 1,000. */
                            pending: number;
                            /** @description The reason of the most recent failed attempt; `null` if there was none. */
                            last_failure: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description From `_links.next`.
                 * @example 1042
                 */
                after?: string;
                /**
                 * @description Types of events, or globs such as `receipt.*`.
                 * @example [
                 *       "receipt.*"
                 *     ]
                 */
                types?: string[];
                /**
                 * @description Seconds to wait for an event when there is none; 0 when it is not given.
                 * @example 1
                 */
                wait?: number;
                /**
                 * @description Events on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the feed of events */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The events of this page, oldest first. */
                        events: {
                            /**
                             * @description The version of CloudEvents.
                             * @constant
                             */
                            specversion: "1.0";
                            /** @description The id of the event. An event that is delivered again has the same id. */
                            id: string;
                            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
                            source: string;
                            /** @description The type of the event, such as `receipt.created`. */
                            type: string;
                            /** @description The id of the object that the event is about. */
                            subject: string;
                            /** @description When the event occurred, ISO 8601 in UTC. */
                            time: string;
                            /** @description The media type of `data`, always `application/json`. */
                            datacontenttype: string;
                            /** @description The path of the JSON Schema of `data`, relative to the base URL. */
                            dataschema: string;
                            /** @description The id of the retailer that the event belongs to. */
                            retailer: string;
                            /** @description The version of the subject. A gap shows that an event was missed. */
                            sequence: number;
                            /** @description The `request-id` of the request that started the chain of events. */
                            correlationid: string;
                            /** @description The id of the message that caused the event. */
                            causationid?: string;
                            /** @description The W3C trace context of the cause. */
                            traceparent?: string;
                            /** @description The payload. Its schema is given by `dataschema`. */
                            data: unknown;
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description Continues after the last event of this page. It is always present. */
                            next: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied-2"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            410: components["responses"]["410-cursor_expired"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getIdentifier: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The identifier of the consumer, percent-encoded.
                 * @example jane@example.com
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an identifier */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                        identifier: string;
                        /** @description When it was made. */
                        created_timestamp: string;
                        /** @description When it was last changed. */
                        updated_timestamp: string;
                        /** @description When it was last changed where it comes from. */
                        source_updated_timestamp: string | null;
                        /** @description What the consumer’s receipts come to. */
                        summary: Record<string, never> | {
                            receipts: number;
                            /** @description What was to be paid, in the currency of the receipt. */
                            total: number;
                            /** @description A currency of ISO 4217, such as `EUR`. */
                            currency: string;
                            /** @description When the first receipt was issued. */
                            first_receipt_timestamp: string;
                            /** @description When the last receipt was issued. */
                            last_receipt_timestamp: string;
                        };
                        /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-identifier_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchIdentifier: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The identifier of the consumer, percent-encoded.
                 * @example jane@example.com
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "op": "add",
                 *         "path": "/properties/opt-out/-",
                 *         "value": "receipts"
                 *       },
                 *       {
                 *         "op": "remove",
                 *         "path": "/properties/phone"
                 *       }
                 *     ]
                 */
                "application/json-patch+json": unknown;
                "application/json": {
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties: {
                        /** @description The lines of the address. */
                        address?: string[];
                        /**
                         * Format: date
                         * @description The date of birth.
                         */
                        birthdate?: string | null;
                        /** @description The city. */
                        city?: string;
                        /** @description An e-mail address. */
                        email?: string;
                        /** @description The gender, as the retailer writes it. */
                        gender?: string;
                        /** @description The name for people to read. */
                        name?: {
                            /** @description The title for people to read. */
                            title?: string;
                            /** @description The first name. */
                            first?: string;
                            /** @description The middle name. */
                            middle?: string;
                            /** @description The last name. */
                            last?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description What this consumer does not want to be sent, such as `receipts`. */
                        "opt-out"?: string[];
                        /** @description A telephone number. */
                        phone?: string;
                        /** @description The postcode. */
                        postcode?: string;
                        /** @description The number of the house. */
                        house_number?: string;
                        /** @description Tags to add to `opt-out`. */
                        "opt-out+="?: string[];
                        /** @description Tags to take from `opt-out`. */
                        "opt-out-="?: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Patch an identifier */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-identifier_not_found"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-patch_test_failed-conflict"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listIdentifiers: {
        parameters: {
            query?: {
                /**
                 * @description Identifiers on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List identifiers */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        identifiers: {
                            /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                            identifier: string;
                            /** @description When it was made. */
                            created_timestamp: string;
                            /** @description When it was last changed. */
                            updated_timestamp: string;
                            /** @description When it was last changed where it comes from. */
                            source_updated_timestamp: string | null;
                            /** @description What the consumer’s receipts come to. */
                            summary: Record<string, never> | {
                                receipts: number;
                                /** @description What was to be paid, in the currency of the receipt. */
                                total: number;
                                /** @description A currency of ISO 4217, such as `EUR`. */
                                currency: string;
                                /** @description When the first receipt was issued. */
                                first_receipt_timestamp: string;
                                /** @description When the last receipt was issued. */
                                last_receipt_timestamp: string;
                            };
                            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                            properties: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description Where to go from here. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createIdentifier: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identifier": "990000000001",
                 *       "properties": {
                 *         "email": "joe.smith@example.com"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                    identifier: string;
                    /**
                     * Format: date-time
                     * @description When it was last changed where it comes from.
                     */
                    source_updated_timestamp?: string;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties?: {
                        /** @description The lines of the address. */
                        address?: string[];
                        /**
                         * Format: date
                         * @description The date of birth.
                         */
                        birthdate?: string | null;
                        /** @description The city. */
                        city?: string;
                        /** @description An e-mail address. */
                        email?: string;
                        /** @description The gender, as the retailer writes it. */
                        gender?: string;
                        /** @description The name for people to read. */
                        name?: {
                            /** @description The title for people to read. */
                            title?: string;
                            /** @description The first name. */
                            first?: string;
                            /** @description The middle name. */
                            middle?: string;
                            /** @description The last name. */
                            last?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description What this consumer does not want to be sent, such as `receipts`. */
                        "opt-out"?: string[];
                        /** @description A telephone number. */
                        phone?: string;
                        /** @description The postcode. */
                        postcode?: string;
                        /** @description The number of the house. */
                        house_number?: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Create an identifier */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                        identifier: string;
                        /** @description When it was made. */
                        created_timestamp: string;
                        /** @description When it was last changed. */
                        updated_timestamp: string;
                        /** @description When it was last changed where it comes from. */
                        source_updated_timestamp: string | null;
                        /** @description What the consumer’s receipts come to. */
                        summary: Record<string, never> | {
                            receipts: number;
                            /** @description What was to be paid, in the currency of the receipt. */
                            total: number;
                            /** @description A currency of ISO 4217, such as `EUR`. */
                            currency: string;
                            /** @description When the first receipt was issued. */
                            first_receipt_timestamp: string;
                            /** @description When the last receipt was issued. */
                            last_receipt_timestamp: string;
                        };
                        /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-consumer_mismatch-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-identifier_exists-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    searchIdentifiers: {
        parameters: {
            query: {
                /**
                 * @description The query in the search language: fields separated by spaces.
                 * @example properties.name.last:smith +properties.city.exact:London
                 */
                query: string;
                /** @description The most identifiers of one page. */
                count?: number;
                /** @description How many hits to leave out first. */
                offset?: number;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Search identifiers */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hits": 1,
                     *       "hits_relation": "eq",
                     *       "identifiers": [
                     *         {
                     *           "identifier": "990000000001",
                     *           "created_timestamp": "2026-01-31T22:30:00.000+00:00",
                     *           "updated_timestamp": "2026-02-03T09:12:44.120+00:00",
                     *           "source_updated_timestamp": null,
                     *           "summary": {
                     *             "receipts": 2,
                     *             "total": 45.48,
                     *             "currency": "EUR",
                     *             "first_receipt_timestamp": "2026-02-01T10:00:00+00:00",
                     *             "last_receipt_timestamp": "2026-02-03T09:12:44+00:00"
                     *           },
                     *           "properties": {
                     *             "email": "joe.smith@example.com",
                     *             "name": {
                     *               "first": "Joe",
                     *               "last": "Smith"
                     *             },
                     *             "opt-out": [
                     *               "receipts"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "time": 2
                     *     }
                     */
                    "application/json": {
                        /** @description How many there are in all. */
                        hits: number;
                        /**
                         * @description `eq`, or `at_least` when counting was cut short by its time.
                         * @enum {string}
                         */
                        hits_relation: "eq" | "at_least";
                        identifiers: {
                            /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                            identifier: string;
                            /** @description When it was made. */
                            created_timestamp: string;
                            /** @description When it was last changed. */
                            updated_timestamp: string;
                            /** @description When it was last changed where it comes from. */
                            source_updated_timestamp: string | null;
                            /** @description What the consumer’s receipts come to. */
                            summary: Record<string, never> | {
                                receipts: number;
                                /** @description What was to be paid, in the currency of the receipt. */
                                total: number;
                                /** @description A currency of ISO 4217, such as `EUR`. */
                                currency: string;
                                /** @description When the first receipt was issued. */
                                first_receipt_timestamp: string;
                                /** @description When the last receipt was issued. */
                                last_receipt_timestamp: string;
                            };
                            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                            properties: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description Milliseconds that it took. */
                        time: number;
                    };
                };
            };
            400: components["responses"]["400-invalid_query-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited-2"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    validateIdentifier: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identifier": "joe.smith@gamil.com",
                 *       "timeout": 5
                 *     }
                 */
                "application/json": {
                    /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                    identifier: string;
                    /** @description How long it may take, in seconds; 6 when it is not given. */
                    timeout?: number;
                };
            };
        };
        responses: {
            /** @description Validate an e-mail address */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "valid",
                     *       "provider": "local",
                     *       "suggestions": [
                     *         "joe.smith@gmail.com"
                     *       ],
                     *       "details": {
                     *         "accept_all": false,
                     *         "did_you_mean": "joe.smith@gmail.com",
                     *         "disposable": false,
                     *         "domain": "gamil.com",
                     *         "email": "joe.smith@gamil.com",
                     *         "free": false,
                     *         "message": null,
                     *         "reason": "accepted_email",
                     *         "result": "deliverable",
                     *         "role": false,
                     *         "sendex": 1,
                     *         "success": true,
                     *         "user": "joe.smith"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The state that it is in.
                         * @enum {string}
                         */
                        status: "valid" | "invalid";
                        provider: string;
                        suggestions: string[];
                        /** @description Further details. */
                        details: {
                            accept_all: boolean;
                            /** @description The address that was probably meant. */
                            did_you_mean: string | null;
                            disposable: boolean;
                            domain: string;
                            /** @description An e-mail address. */
                            email: string;
                            /** @description Whether the domain gives mailboxes to anybody. */
                            free: boolean;
                            /** @description A sentence for people. */
                            message: string | null;
                            /**
                             * @description Why it is so.
                             * @enum {string}
                             */
                            reason: "invalid_email" | "invalid_domain" | "rejected_email" | "accepted_email" | "low_quality" | "low_deliverability" | "no_connect" | "timeout" | "unavailable_smtp" | "unexpected_error";
                            /** @enum {string} */
                            result: "deliverable" | "undeliverable" | "risky" | "unknown";
                            /** @description Whether the mailbox belongs to a task, such as `info`, and to no person. */
                            role: boolean;
                            /** @description How good the address is, rounded. */
                            sendex: number;
                            success: boolean;
                            user: string;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited-5"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    eraseIdentifier: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The identifier of the consumer, percent-encoded.
                 * @example jane@example.com
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase an identifier */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Erase an identifier */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-identifier_not_found"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    exportIdentifier: {
        parameters: {
            query?: {
                /**
                 * @description From the header `Link`.
                 * @example 1042
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The identifier of the consumer, percent-encoded.
                 * @example jane@example.com
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export what is kept of an identifier */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-identifier_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    catchUpSummaries: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_start": true
                 *     }
                 */
                "application/json": {
                    /** @description Whether to read everything again, not only what is new: to rebuild what was lost or is in doubt. */
                    from_start?: boolean;
                };
            };
        };
        responses: {
            /** @description Catch up summaries and rewards */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    verifyCard: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "card_number": "4539578763621486",
                 *       "registration_code": "123456"
                 *     }
                 */
                "application/json": {
                    /** @description The number on the card. */
                    card_number: string;
                    /** @description The code that came with the card. */
                    registration_code: string;
                };
            };
        };
        responses: {
            /** @description Verify a card against its registration code */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-invalid_card_number-invalid_registration_code-retailer_has_no_cards-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited-6"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    importCards: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
                "text/csv": string;
            };
        };
        responses: {
            /** @description Import cards */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "imported": 1,
                     *       "replaced": 0
                     *     }
                     */
                    "application/json": {
                        imported: number;
                        replaced: number;
                    };
                };
            };
            400: components["responses"]["400-malformed_body-bad_request-invalid_parameter-2"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listRewards: {
        parameters: {
            query?: {
                /**
                 * @description Only rewards of this identifier, commas included.
                 * @example jane@example.com
                 */
                consumer?: string;
                /**
                 * @description Only rewards issued on or after it.
                 * @example 2026-03-01T00:00:00Z
                 */
                from_timestamp?: string;
                /**
                 * @description Only rewards issued on or before it.
                 * @example 2026-04-01T00:00:00Z
                 */
                to_timestamp?: string;
                /** @description Only rewards that are claimed, or that are not. */
                claimed?: "all" | "true" | "false";
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of a programme in the settings.
                 * @example 42
                 */
                program_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List loyalty rewards */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 17,
                     *         "identifier": "joe.smith@example.com",
                     *         "name": "5 off for each 100 spent",
                     *         "claimed": false,
                     *         "value": 5,
                     *         "timestamp": "2026-02-03T09:12:45.120+00:00",
                     *         "receipt_timestamp": "2026-02-03T09:12:44+00:00"
                     *       }
                     *     ]
                     */
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                        identifier: string;
                        /** @description The name for people to read. */
                        name: string;
                        claimed: boolean;
                        /** @description The value. */
                        value: number;
                        /**
                         * Format: date-time
                         * @description When it was issued.
                         */
                        timestamp: string;
                        /**
                         * Format: date-time
                         * @description Of the receipt with which the total passed the threshold.
                         */
                        receipt_timestamp: string;
                    }[];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-5"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    exportRewards: {
        parameters: {
            query?: {
                /**
                 * @description Only rewards of this identifier, commas included.
                 * @example jane@example.com
                 */
                consumer?: string;
                /**
                 * @description Only rewards issued on or after it.
                 * @example 2026-03-01T00:00:00Z
                 */
                from_timestamp?: string;
                /**
                 * @description Only rewards issued on or before it.
                 * @example 2026-04-01T00:00:00Z
                 */
                to_timestamp?: string;
                /** @description Only rewards that are claimed, or that are not. */
                claimed?: "all" | "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of a programme in the settings.
                 * @example 42
                 */
                program_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Loyalty rewards as CSV */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-5"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    browseRetailers: {
        parameters: {
            query?: {
                /**
                 * @description Retailers on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List retailers */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        retailers: {
                            /** @description Names this thing; unique for each retailer. */
                            id: string;
                            /** @description The name for people to read. */
                            name: string;
                            /** @description The VAT number. */
                            vatno: string | null;
                            settings: components["schemas"]["RetailerSettingsAnswer"];
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createRetailer: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "demo",
                 *       "name": "Demo",
                 *       "settings": {
                 *         "timezone": "Europe/Paris"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Names this thing; unique for each retailer. */
                    id: string;
                    /** @description The name for people to read. */
                    name: string;
                    /** @description The VAT number. */
                    vatno?: string | null;
                    settings?: components["schemas"]["RetailerSettings"];
                };
            };
        };
        responses: {
            /** @description Create a retailer */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description The name for people to read. */
                        name: string;
                        /** @description The VAT number. */
                        vatno: string | null;
                        settings: components["schemas"]["RetailerSettingsAnswer"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-retailer_exists-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getRetailer: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a retailer */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description The name for people to read. */
                        name: string;
                        /** @description The VAT number. */
                        vatno: string | null;
                        settings: components["schemas"]["RetailerSettingsAnswer"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchRetailer: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "op": "replace",
                 *         "path": "/settings/timezone",
                 *         "value": "Europe/Paris"
                 *       }
                 *     ]
                 */
                "application/json-patch+json": unknown;
                "application/merge-patch+json": {
                    [key: string]: unknown;
                };
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Patch a retailer */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description The name for people to read. */
                        name: string;
                        /** @description The VAT number. */
                        vatno: string | null;
                        settings: components["schemas"]["RetailerSettingsAnswer"];
                    };
                };
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-patch_test_failed-conflict"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createFirstClient: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
                /**
                 * @description `bearer` for tokens, `hmac` for URL signatures.
                 * @example bearer
                 */
                authentication: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Back office",
                 *       "permissions": [
                 *         "view.*"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Readable formatting of the answer. */
                    pretty?: boolean;
                    /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                    permissions: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
                    /** @description A sentence for people. */
                    description: string;
                    /** @description True when it is refused from now on. */
                    revoked?: boolean;
                    /** @description The access key: `key` of a URL signature, `kid` of a token. */
                    key?: string;
                    /** @description The shared secret in base64; generated when it is missing. */
                    secret?: string;
                    /** @description How many seconds ahead the expiry of a signature may lie. */
                    signature_max_age?: number;
                    /** @description Settings; see the description of each. */
                    settings?: {
                        /** @description True when lists, searches and single reads need `consumer`. */
                        consumer_required?: boolean;
                        /** @description True when assigning a receipt answers with the receipt. */
                        assign_returns_receipt?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Issue a credential for a retailer */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A sentence for people. */
                        description: string;
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The access key: `key` of a URL signature, `kid` of a token. */
                        key: string;
                        /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                        permissions: string[];
                        /** @description True when it is refused from now on. */
                        revoked: boolean;
                        /** @description Seconds; present on URL-signature clients only. */
                        signature_max_age?: number;
                        /** @description Settings; see the description of each. */
                        settings: {
                            /** @description True when lists, searches and single reads need `consumer`. */
                            consumer_required?: boolean;
                            /** @description True when assigning a receipt answers with the receipt. */
                            assign_returns_receipt?: boolean;
                        };
                        /** @description Told once; null when the request is repeated with the same `Idempotency-Key`. */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-client_key_exists-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the queues of events of a retailer's integrators */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscriptions: {
                            /** @description The name for people to read. */
                            name: string;
                            types: string[];
                            /** @description What the queue is bound with. */
                            routing_keys: string[];
                            /** @description The queue to consume from. It is there already: declare nothing. */
                            queue: string;
                            /**
                             * @description The address of the broker, with its virtual host.
                             * @example amqps://broker.example:5671/
                             */
                            url: string;
                            /** @description May read this queue and do nothing else. */
                            user: string;
                            /**
                             * @description `incomplete` when making it was interrupted: post it again, or delete it.
                             * @enum {string}
                             */
                            status: "ready" | "incomplete";
                            /**
                             * Format: date-time
                             * @description When it was made.
                             */
                            created_timestamp: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            501: components["responses"]["501-broker_management_missing"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createSubscription: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "warehouse",
                 *       "types": [
                 *         "receipt.*",
                 *         "store.updated"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Tells the subscriptions of a retailer apart.
                     * @example warehouse
                     */
                    name: string;
                    /**
                     * @description Types of events, or globs: `*` stands for any characters. All events unless given.
                     * @example [
                     *       "receipt.*",
                     *       "delivery.failed"
                     *     ]
                     */
                    types?: string[];
                };
            };
        };
        responses: {
            /** @description Give a retailer's integrator a queue of events */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The name for people to read. */
                        name: string;
                        types: string[];
                        /** @description What the queue is bound with. */
                        routing_keys: string[];
                        /** @description The queue to consume from. It is there already: declare nothing. */
                        queue: string;
                        /**
                         * @description The address of the broker, with its virtual host.
                         * @example amqps://broker.example:5671/
                         */
                        url: string;
                        /** @description May read this queue and do nothing else. */
                        user: string;
                        /**
                         * @description `incomplete` when making it was interrupted: post it again, or delete it.
                         * @enum {string}
                         */
                        status: "ready" | "incomplete";
                        /**
                         * Format: date-time
                         * @description When it was made.
                         */
                        created_timestamp: string;
                        /** @description Never shown again: null when the answer is a repeated one. */
                        password: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-subscription_exists-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-too_many-schema_validation_failed-2"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            501: components["responses"]["501-broker_management_missing"];
            503: components["responses"]["503-unavailable"];
        };
    };
    deleteSubscription: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
                /**
                 * @description The name for people to read.
                 * @example warehouse
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Take the queue of events from a retailer's integrator */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found-6"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            501: components["responses"]["501-broker_management_missing"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listStores: {
        parameters: {
            query?: {
                /**
                 * @description Stores on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 42
                 */
                older?: number;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List stores */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How the stores of receipts are dealt with. */
                        stores: {
                            /** @description Names this thing; unique for each retailer. */
                            id: number;
                            /** @description The retailer’s number of the store. */
                            reference: number;
                            /** @description The retailer’s own name of the store. */
                            external_reference: string | null;
                            /** @description The name for people to read. */
                            name: string;
                            /** @description The lines of the address. */
                            address: string[];
                            /** @description The city. */
                            city: string | null;
                            /** @description The postcode. */
                            postcode: string | null;
                            /** @description A country of ISO 3166, three letters, such as `FRA`. */
                            country: string;
                            /** @description A telephone number. */
                            phone: string | null;
                            /** @description A locale, such as `en_GB`. */
                            locale: string | null;
                            /** @description A time zone of the IANA database, such as `Europe/Paris`. */
                            timezone: string | null;
                            /** @description A currency of ISO 4217, such as `EUR`. */
                            currency: string | null;
                            /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                            properties: unknown;
                            /** @description Settings; see the description of each. */
                            settings: unknown;
                            /**
                             * Format: date-time
                             * @description When it was last changed.
                             */
                            updated_timestamp: string;
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createStore: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference": 1,
                 *       "name": "Rue de Rivoli",
                 *       "country": "FRA",
                 *       "timezone": "Europe/Paris",
                 *       "currency": "EUR"
                 *     }
                 */
                "application/json": components["schemas"]["PostedStore"];
            };
        };
        responses: {
            /** @description Create a store */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reference": 1
                     *     }
                     */
                    "application/json": {
                        /** @description The retailer’s number of the store. */
                        reference: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-store_exists-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getStore: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The reference of the store, or its external reference, percent-encoded.
                 * @example 1
                 */
                reference: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a store */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The retailer’s number of the store. */
                        reference: number;
                        /** @description The retailer’s own name of the store. */
                        external_reference: string | null;
                        /** @description The name for people to read. */
                        name: string;
                        /** @description The lines of the address. */
                        address: string[];
                        /** @description The city. */
                        city: string | null;
                        /** @description The postcode. */
                        postcode: string | null;
                        /** @description A country of ISO 3166, three letters, such as `FRA`. */
                        country: string;
                        /** @description A telephone number. */
                        phone: string | null;
                        /** @description A locale, such as `en_GB`. */
                        locale: string | null;
                        /** @description A time zone of the IANA database, such as `Europe/Paris`. */
                        timezone: string | null;
                        /** @description A currency of ISO 4217, such as `EUR`. */
                        currency: string | null;
                        /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                        properties: unknown;
                        /** @description Settings; see the description of each. */
                        settings: unknown;
                        /**
                         * Format: date-time
                         * @description When it was last changed.
                         */
                        updated_timestamp: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-7"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchStore: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The reference of the store, or its external reference, percent-encoded.
                 * @example 1
                 */
                reference: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "op": "replace",
                 *         "path": "/phone",
                 *         "value": "+33 1 40 20 50 50"
                 *       }
                 *     ]
                 */
                "application/json-patch+json": unknown;
            };
        };
        responses: {
            /** @description Patch a store */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The retailer’s number of the store. */
                        reference: number;
                        /** @description The retailer’s own name of the store. */
                        external_reference: string | null;
                        /** @description The name for people to read. */
                        name: string;
                        /** @description The lines of the address. */
                        address: string[];
                        /** @description The city. */
                        city: string | null;
                        /** @description The postcode. */
                        postcode: string | null;
                        /** @description A country of ISO 3166, three letters, such as `FRA`. */
                        country: string;
                        /** @description A telephone number. */
                        phone: string | null;
                        /** @description A locale, such as `en_GB`. */
                        locale: string | null;
                        /** @description A time zone of the IANA database, such as `Europe/Paris`. */
                        timezone: string | null;
                        /** @description A currency of ISO 4217, such as `EUR`. */
                        currency: string | null;
                        /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                        properties: unknown;
                        /** @description Settings; see the description of each. */
                        settings: unknown;
                        /**
                         * Format: date-time
                         * @description When it was last changed.
                         */
                        updated_timestamp: string;
                    };
                };
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-7"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-store_exists-patch_test_failed-conflict"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listClients: {
        parameters: {
            query?: {
                /**
                 * @description Clients on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 42
                 */
                older?: number;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /** @description `bearer` for tokens, `hmac` for URL signatures. */
                authentication: "bearer" | "hmac";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List API clients */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        clients: {
                            /** @description A sentence for people. */
                            description: string;
                            /** @description Names this thing; unique for each retailer. */
                            id: number;
                            /** @description The access key: `key` of a URL signature, `kid` of a token. */
                            key: string;
                            /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                            permissions: string[];
                            /** @description True when it is refused from now on. */
                            revoked: boolean;
                            /** @description Seconds; present on URL-signature clients only. */
                            signature_max_age?: number;
                            /** @description Settings; see the description of each. */
                            settings: {
                                /** @description True when lists, searches and single reads need `consumer`. */
                                consumer_required?: boolean;
                                /** @description True when assigning a receipt answers with the receipt. */
                                assign_returns_receipt?: boolean;
                            };
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-8"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createClient: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description `bearer` for tokens, `hmac` for URL signatures. */
                authentication: "bearer" | "hmac";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Till of store 1",
                 *       "permissions": [
                 *         "view.post_receipt"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Readable formatting of the answer. */
                    pretty?: boolean;
                    /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                    permissions: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
                    /** @description A sentence for people. */
                    description: string;
                    /** @description True when it is refused from now on. */
                    revoked?: boolean;
                    /** @description The access key: `key` of a URL signature, `kid` of a token. */
                    key?: string;
                    /** @description The shared secret in base64; generated when it is missing. */
                    secret?: string;
                    /** @description How many seconds ahead the expiry of a signature may lie. */
                    signature_max_age?: number;
                    /** @description Settings; see the description of each. */
                    settings?: {
                        /** @description True when lists, searches and single reads need `consumer`. */
                        consumer_required?: boolean;
                        /** @description True when assigning a receipt answers with the receipt. */
                        assign_returns_receipt?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Create an API client */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A sentence for people. */
                        description: string;
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The access key: `key` of a URL signature, `kid` of a token. */
                        key: string;
                        /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                        permissions: string[];
                        /** @description True when it is refused from now on. */
                        revoked: boolean;
                        /** @description Seconds; present on URL-signature clients only. */
                        signature_max_age?: number;
                        /** @description Settings; see the description of each. */
                        settings: {
                            /** @description True when lists, searches and single reads need `consumer`. */
                            consumer_required?: boolean;
                            /** @description True when assigning a receipt answers with the receipt. */
                            assign_returns_receipt?: boolean;
                        };
                        /** @description Told once; null when the request is repeated with the same `Idempotency-Key`. */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature"];
            404: components["responses"]["404-not_found-8"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-client_key_exists-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getClient: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /** @description `bearer` for tokens, `hmac` for URL signatures. */
                authentication: "bearer" | "hmac";
                /**
                 * @description The id of the client.
                 * @example 1
                 */
                client_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an API client */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A sentence for people. */
                        description: string;
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The access key: `key` of a URL signature, `kid` of a token. */
                        key: string;
                        /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                        permissions: string[];
                        /** @description True when it is refused from now on. */
                        revoked: boolean;
                        /** @description Seconds; present on URL-signature clients only. */
                        signature_max_age?: number;
                        /** @description Settings; see the description of each. */
                        settings: {
                            /** @description True when lists, searches and single reads need `consumer`. */
                            consumer_required?: boolean;
                            /** @description True when assigning a receipt answers with the receipt. */
                            assign_returns_receipt?: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-8"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchClient: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /** @description `bearer` for tokens, `hmac` for URL signatures. */
                authentication: "bearer" | "hmac";
                /**
                 * @description The id of the client.
                 * @example 1
                 */
                client_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "permissions+=": [
                 *         "view.get_receipt"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Readable formatting of the answer. */
                    pretty?: boolean;
                    /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                    permissions?: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
                    /** @description Permissions to add. */
                    "permissions+="?: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
                    /** @description Permissions to take away. */
                    "permissions-="?: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.get_events")[];
                    /** @description A sentence for people. */
                    description?: string;
                    /** @description True when it is refused from now on. */
                    revoked?: boolean;
                    /** @description The access key: `key` of a URL signature, `kid` of a token. */
                    key?: string;
                    /** @description How many seconds ahead the expiry of a signature may lie. */
                    signature_max_age?: number;
                    /** @description Settings; see the description of each. */
                    settings?: {
                        /** @description True when lists, searches and single reads need `consumer`. */
                        consumer_required?: boolean;
                        /** @description True when assigning a receipt answers with the receipt. */
                        assign_returns_receipt?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Patch an API client */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A sentence for people. */
                        description: string;
                        /** @description Names this thing; unique for each retailer. */
                        id: number;
                        /** @description The access key: `key` of a URL signature, `kid` of a token. */
                        key: string;
                        /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                        permissions: string[];
                        /** @description True when it is refused from now on. */
                        revoked: boolean;
                        /** @description Seconds; present on URL-signature clients only. */
                        signature_max_age?: number;
                        /** @description Settings; see the description of each. */
                        settings: {
                            /** @description True when lists, searches and single reads need `consumer`. */
                            consumer_required?: boolean;
                            /** @description True when assigning a receipt answers with the receipt. */
                            assign_returns_receipt?: boolean;
                        };
                        /** @description The shared secret in base64. Shown when it was made or changed, never later. */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature"];
            404: components["responses"]["404-not_found-8"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-client_key_exists-conflict"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description Tokens on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the client.
                 * @example 1
                 */
                client_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the tokens of a bearer client */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tokens: {
                            /** @description The id of the token. */
                            jti: string;
                            /**
                             * Format: date-time
                             * @description When it was issued.
                             */
                            issued: string;
                            /** @description When it expires; null for never. */
                            expires: string | null;
                            /** @description True when it is refused from now on. */
                            revoked: boolean;
                            /** @description When it was last used; null for never. */
                            last_used: string | null;
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-8"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    issueToken: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the client.
                 * @example 1
                 */
                client_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expires_in": 3600
                 *     }
                 */
                "application/json": {
                    /** @description Readable formatting of the answer. */
                    pretty?: boolean;
                    /** @description Seconds until the token expires. */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description Issue a bearer token */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Told once; null when the request is repeated with the same `Idempotency-Key`. */
                        token: string | null;
                        /** @description The id of the token. */
                        jti: string;
                        /** @description When it expires; null for never. */
                        expires: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-2"];
            404: components["responses"]["404-not_found-8"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-client_revoked-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    revokeTokens: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the client.
                 * @example 1
                 */
                client_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "all": true
                 *     }
                 */
                "application/json": {
                    /** @description The id of the token. */
                    jti?: string;
                    /**
                     * @description True for everything, instead of a list.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description Revoke tokens of a bearer client */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-2"];
            404: components["responses"]["404-not_found-8"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-conflict-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-too_many_revocations-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    putPortalUser: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description Compared without case; unique over all retailers.
                 * @example jo@demo.example
                 */
                email: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "group": "clerks",
                 *       "status": "active"
                 *     }
                 */
                "application/json": {
                    /** @description Readable formatting of the answer. */
                    pretty?: boolean;
                    /** @description One of the groups in the setting `portal_groups`; an empty text means no group. */
                    group: string;
                    /**
                     * @description The state that it is in.
                     * @enum {string}
                     */
                    status: "active" | "inactive";
                    /** @description True unless it is given. The e-mail is sent only when the user is created. */
                    send_password_reset_on_create?: boolean;
                };
            };
        };
        responses: {
            /** @description Create or update a portal user */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Create or update a portal user */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-invalid_portal_user"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature"];
            404: components["responses"]["404-not_found-9"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-conflict"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    putOperatorPortalUser: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
                /**
                 * @description Compared without case; unique over all retailers.
                 * @example jo@demo.example
                 */
                email: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "group": "managers",
                 *       "status": "active"
                 *     }
                 */
                "application/json": {
                    /** @description Readable formatting of the answer. */
                    pretty?: boolean;
                    /** @description One of the groups in the setting `portal_groups`; an empty text means no group. */
                    group: string;
                    /**
                     * @description The state that it is in.
                     * @enum {string}
                     */
                    status: "active" | "inactive";
                    /** @description True unless it is given. The e-mail is sent only when the user is created. */
                    send_password_reset_on_create?: boolean;
                };
            };
        };
        responses: {
            /** @description Create or update a user of a retailer's portal */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Create or update a user of a retailer's portal */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-invalid_portal_user"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-not_found"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-conflict"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    sendPasswordReset: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description Compared without case; unique over all retailers.
                 * @example jo@demo.example
                 */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a password reset e-mail */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-not_found-9"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-conflict"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited-7"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /**
                 * @description Only of this queue.
                 * @example ingest.commands
                 */
                queue?: string;
                /**
                 * @description Messages on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List dead letters */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many messages it was done to. */
                        messages: {
                            /** @description Names this thing; unique for each retailer. */
                            id: string;
                            /** @description The queue that it came from and goes back to. */
                            queue: string;
                            /** @description What kind it is. */
                            type: string;
                            /** @description The retailer. */
                            retailer: string | null;
                            /** @description Why it is so. */
                            reason: string;
                            /** @description How often it was tried. */
                            attempts: number;
                            first_failed_timestamp: string | null;
                            last_failed_timestamp: string | null;
                            /** @description The trace in which it happened. */
                            trace_id: string | null;
                            /** @description The request in which it began. */
                            request_id: string | null;
                        }[];
                        /** @description The number of dead letters of each queue, counted up to 10,000. */
                        queues: {
                            /** @description The queue. */
                            queue: string;
                            dead_letters: number;
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-queue_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getDeadLetter: {
        parameters: {
            query: {
                /**
                 * @description The queue that it came from.
                 * @example ingest.commands
                 */
                queue: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a dead letter */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names this thing; unique for each retailer. */
                        id: string;
                        /** @description The queue that it came from and goes back to. */
                        queue: string;
                        /** @description What kind it is. */
                        type: string;
                        /** @description The retailer. */
                        retailer: string | null;
                        /** @description Why it is so. */
                        reason: string;
                        /** @description How often it was tried. */
                        attempts: number;
                        first_failed_timestamp: string | null;
                        last_failed_timestamp: string | null;
                        /** @description The trace in which it happened. */
                        trace_id: string | null;
                        /** @description The request in which it began. */
                        request_id: string | null;
                        content: unknown;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-queue_not_found-not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    replayDeadLetters: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "queue": "delivery.on-receipt-created",
                 *       "all": true
                 *     }
                 */
                "application/json": {
                    /** @description The queue. */
                    queue: string;
                    /** @description The ids of what is meant. */
                    ids?: string[];
                    /**
                     * @description True for everything, instead of a list.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description Replay dead letters */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        replayed: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-queue_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    discardDeadLetters: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "queue": "delivery.on-receipt-created",
                 *       "all": true
                 *     }
                 */
                "application/json": {
                    /** @description The queue. */
                    queue: string;
                    /** @description The ids of what is meant. */
                    ids?: string[];
                    /**
                     * @description True for everything, instead of a list.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description Discard dead letters */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        discarded: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-queue_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getStatus: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Status of the platform */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        services: {
                            service: string;
                            ready: boolean;
                            instances: number;
                            /** @description More than one while an update is on its way. */
                            versions: string[];
                            /** @description Requests that no instance has taken yet. */
                            waiting: number;
                            /** @description For how long it has not been seen empty, looked at every 15 seconds since admin started: no message in it is older. */
                            waiting_seconds: number;
                            outbox: {
                                /** @description Things with events that are not published yet, up to 10,000 a collection. */
                                pending: number;
                                /** @description Age of the oldest of these events. */
                                oldest_age_seconds: number;
                            };
                            processes: {
                                /** @description Names the process, from its start to its end. */
                                instance: string;
                                /** @description Counts the changes, from 1. */
                                version: string;
                                /** Format: date-time */
                                started_timestamp: string;
                                /**
                                 * Format: date-time
                                 * @description When it last reported.
                                 */
                                heard_timestamp: string;
                                /** @description How late its event loop is. */
                                loop_lag_ms: number;
                            }[];
                        }[];
                        queues: {
                            /** @description The queue. */
                            queue: string;
                            /** @description How many messages it was done to. */
                            messages: number;
                            consumers: number;
                            /** @description For how long it has not been seen empty, looked at every 15 seconds since admin started: no message in it is older. */
                            waiting_seconds: number;
                            /** @description Messages that could not be processed. They wait for a replay or discard. */
                            dead_letters: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getThroughput: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Throughput of the platform */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        interval_seconds: number;
                        services: {
                            service: string;
                            points: {
                                /**
                                 * Format: date-time
                                 * @description When the interval began.
                                 */
                                timestamp: string;
                                /** @description What has just been done, to be said on the page. */
                                done: number;
                                /** @description Those of them that ended with a fault of the platform (5xx). */
                                failed: number;
                            }[];
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listOperatorActions: {
        parameters: {
            query?: {
                /**
                 * @description Only what was done to this retailer.
                 * @example demo
                 */
                retailer?: string;
                /**
                 * @description Entries on a page; 100 when it is not given.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description From `_links.next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Audit log of the operator */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first. */
                        actions: {
                            /** @description The id of the entry. */
                            id: string;
                            /**
                             * Format: date-time
                             * @description When the request arrived.
                             */
                            timestamp: string;
                            /** @description The name that the caller gave in the header `service-operator`; `operator` without one. */
                            operator: string;
                            /** @description The IP address of the caller. */
                            address: string;
                            /**
                             * @description The name of the called operation.
                             * @example patch-retailer
                             */
                            operation: string;
                            /** @description The HTTP method of the request. */
                            method: string;
                            /** @description The path of the request, without its query. */
                            path: string;
                            /** @description The id of the retailer that the request was about; `null` if there was none. */
                            retailer: string | null;
                            /**
                             * @description The names of the members of the body, or the pointers of a JSON Patch. Values are not stored.
                             * @example [
                             *       "settings"
                             *     ]
                             */
                            fields: string[];
                            /**
                             * @description The HTTP status code of the answer; `null` if it is unknown.
                             * @example 200
                             */
                            status: number | null;
                            /** @description The `request-id` of the request. */
                            request_id: string;
                        }[];
                        /** @description Links to other pages. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description A path, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    operationsRoot: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: entrance */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: entrance */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsOverview: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: services */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: services */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsSignInPage: {
        parameters: {
            query?: {
                /**
                 * @description The next page; absent on the last one.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                next?: string;
                /**
                 * @description What has just been done, to be said on the page.
                 * @example replayed
                 */
                done?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: sign in */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: sign in */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsSignIn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The token itself. It is never shown again. */
                    token: string;
                    /** @description The token of the operator. */
                    operator: string;
                    /** @description The next page; absent on the last one. */
                    next?: string;
                };
            };
        };
        responses: {
            /** @description Operations: sign in */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: sign in */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsSignOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The secret of the form, which the page contains. */
                    csrf: string;
                    /** @description Whether all sessions end. */
                    everywhere?: string;
                };
            };
        };
        responses: {
            /** @description Operations: sign out */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: sign out */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsQueues: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: queues */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: queues */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsDeadLetters: {
        parameters: {
            query?: {
                /**
                 * @description The queue.
                 * @example ingest.commands
                 */
                queue?: string;
                /**
                 * @description From where to go on: taken from the link `next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /**
                 * @description What has just been done, to be said on the page.
                 * @example replayed
                 */
                done?: string;
                /**
                 * @description How many messages it was done to.
                 * @example 3
                 */
                messages?: number;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: dead letters */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: dead letters */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsDecideDeadLetters: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The secret of the form, which the page contains. */
                    csrf: string;
                    /** @description The queue. */
                    queue: string;
                    /**
                     * @description What is to be done.
                     * @enum {string}
                     */
                    action: "replay" | "discard" | "replay-all" | "discard-all";
                    /** @description The ids of what is meant. */
                    ids?: string | string[];
                    /** @description Present if the operator has confirmed the action. */
                    confirmed?: string;
                };
            };
        };
        responses: {
            /** @description Operations: replay or discard dead letters */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: replay or discard dead letters */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsDeadLetter: {
        parameters: {
            query: {
                /**
                 * @description The queue.
                 * @example ingest.commands
                 */
                queue: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: a dead letter */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: a dead letter */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsPackets: {
        parameters: {
            query?: {
                /**
                 * @description The retailer.
                 * @example demo
                 */
                retailer?: string;
                /**
                 * @description Only those with this reason.
                 * @example no_mapping
                 */
                reason?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: failed packets */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: failed packets */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsPacket: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path: {
                /**
                 * @description The retailer.
                 * @example demo
                 */
                retailer: string;
                /**
                 * @description The id of the raw receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                packet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: a failed packet */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: a failed packet */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsTryPacket: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The retailer.
                 * @example demo
                 */
                retailer: string;
                /**
                 * @description The id of the raw receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                packet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The secret of the form, which the page contains. */
                    csrf: string;
                    /** @description The mapping that converts it. */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description Operations: try a mapping on a packet */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: try a mapping on a packet */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: webhook endpoints in trouble */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: webhook endpoints in trouble */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: deliveries that wait */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: deliveries that wait */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    operationsAudit: {
        parameters: {
            query?: {
                /**
                 * @description The retailer.
                 * @example demo
                 */
                retailer?: string;
                /**
                 * @description From where to go on: taken from the link `next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations: audit log */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Operations: audit log */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalRoot: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Portal: entrance */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: entrance */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalHome: {
        parameters: {
            query?: {
                /**
                 * @description A card number, an e-mail address, or the beginning of one.
                 * @example jane@example.com
                 */
                customer?: string;
                /**
                 * @description The number of the sale.
                 * @example 4711
                 */
                transaction?: string;
                /**
                 * @description The store.
                 * @example 1
                 */
                store?: string;
                /**
                 * @description A word in the name of an item.
                 * @example coffee
                 */
                item?: string;
                /**
                 * @description The first day.
                 * @example 2026-03-01
                 */
                from?: string;
                /**
                 * @description The last day.
                 * @example 2026-03-31
                 */
                to?: string;
                /**
                 * @description A query in the search language: `path:value`, separated by blanks.
                 * @example coffee
                 */
                query?: string;
                /**
                 * @description How many to pass over.
                 * @example 0
                 */
                offset?: number;
                /**
                 * @description The next page; absent on the last one.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                next?: string;
                /**
                 * @description The page before; absent on the first one.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                prev?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Portal: find receipts */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: find receipts */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalSignInPage: {
        parameters: {
            query?: {
                /**
                 * @description The next page; absent on the last one.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                next?: string;
                /**
                 * @description What has just been done, to be said on the page.
                 * @example replayed
                 */
                done?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Portal: sign in */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: sign in */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalSignIn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description An e-mail address. */
                    email: string;
                    /** @description The password. */
                    password: string;
                    /** @description The next page; absent on the last one. */
                    next?: string;
                };
            };
        };
        responses: {
            /** @description Portal: sign in */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: sign in */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalSignOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The secret of the form, which the page contains. */
                    csrf: string;
                };
            };
        };
        responses: {
            /** @description Portal: sign out */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: sign out */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalForgottenPage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Portal: forgotten password */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: forgotten password */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalForgotten: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description An e-mail address. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Portal: ask for a new password */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: ask for a new password */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalPasswordPage: {
        parameters: {
            query?: {
                /**
                 * @description The secret of the link.
                 * @example Q2hhbmdlTWU
                 */
                token?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Portal: choose a password */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: choose a password */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-not_found-10"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalPassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The token itself. It is never shown again. */
                    token: string;
                    /** @description The password. */
                    password: string;
                    /** @description The same password once more. */
                    password_confirmation: string;
                };
            };
        };
        responses: {
            /** @description Portal: set the password */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: set the password */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            404: components["responses"]["404-not_found-10"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalReceipt: {
        parameters: {
            query?: {
                /**
                 * @description What has just been done, to be said on the page.
                 * @example replayed
                 */
                done?: string;
            };
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Portal: a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: a receipt */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalSend: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The secret of the form, which the page contains. */
                    csrf: string;
                    /** @description An e-mail address. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Portal: send a receipt again */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: send a receipt again */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    portalAssign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Cookies that an answer of this service has set.
                 * @example portal=1a2b3c
                 */
                cookie?: string;
                /**
                 * @description Names the site that the form belongs to.
                 * @example receipts.example
                 */
                host?: string;
                /**
                 * @description The site from which a form was sent.
                 * @example https://receipts.example
                 */
                origin?: string;
                /**
                 * @description Says whether the page that sends it is one of ours (Fetch Metadata).
                 * @example same-origin
                 */
                "sec-fetch-site"?: string;
                /**
                 * @description Says whether a person or a script of the page asks (Fetch Metadata).
                 * @example document
                 */
                "sec-fetch-dest"?: string;
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The secret of the form, which the page contains. */
                    csrf: string;
                    /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                    identifier: string;
                };
            };
        };
        responses: {
            /** @description Portal: assign a receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Portal: assign a receipt */
            303: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
            403: components["responses"]["403-permission_denied-2"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-schema_validation_failed-too_many-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    listMappings: {
        parameters: {
            query?: {
                /** @description Only those in this state. */
                status?: "draft" | "active" | "inactive";
                /** @description How many at most. */
                count?: number;
                /**
                 * @description From where to go on: taken from the link `next`.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List mappings */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        mappings: components["schemas"]["MappingDocumentAnswer"][];
                        /** @description Where to go from here. */
                        _links: {
                            /** @description The next page; absent on the last one. */
                            next?: {
                                /** @description The address, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createMapping: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PostedMapping"];
            };
        };
        responses: {
            /** @description Post a mapping */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingDocumentAnswer"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-conflict-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-mapping_invalid-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getMapping: {
        parameters: {
            query?: {
                /**
                 * @description This version instead of the newest.
                 * @example 2
                 */
                version?: number;
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a mapping */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingDocumentAnswer"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-mapping_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    patchMapping: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` that was read: the change is made only to that version, else it is 412.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json-patch+json": unknown;
            };
        };
        responses: {
            /** @description Patch a mapping */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingDocumentAnswer"];
                };
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-mapping_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-patch_test_failed-conflict"];
            412: components["responses"]["412-precondition_failed"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-mapping_invalid-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    activateMapping: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Counts the changes, from 1. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Activate a mapping */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingDocumentAnswer"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-mapping_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-mapping_invalid-samples_failed-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    deactivateMapping: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deactivate a mapping */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingDocumentAnswer"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-mapping_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    dryRunMapping: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The mapping that converts it. */
                    mapping: string | {
                        /** @description Names this thing; unique for each retailer. */
                        id?: string;
                        /** @description A sentence for people. */
                        description?: string;
                        match?: components["schemas"]["MappingMatch"];
                        decode: components["schemas"]["MappingDecode"];
                        extract?: components["schemas"]["MappingExtract"];
                        /** @description How decoded data become a receipt. */
                        transform: {
                            /**
                             * @description The language of the expression.
                             * @constant
                             */
                            language: "jsonata";
                            /** @description What makes receipts of the data, in JSONata. */
                            expression: string;
                        };
                        /** @description What a receipt has where the mapping gives nothing. */
                        defaults?: {
                            [key: string]: unknown;
                        };
                        limits?: components["schemas"]["MappingLimits"];
                        /** @description Examples with what must come out of them; a mapping that fails one cannot be activated. */
                        samples?: components["schemas"]["MappingSample"][];
                        /** @description Counts the changes, from 1. */
                        version?: number;
                        /**
                         * @description The state that it is in.
                         * @enum {string}
                         */
                        status?: "draft" | "active" | "inactive";
                    };
                    /** @description Raw data, in base64. */
                    input_base64: string;
                    /** @description The media type. */
                    content_type?: string;
                    /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                    properties?: {
                        [key: string]: unknown;
                    };
                    /** @description What was said about the packet when it was posted. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Try a mapping */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        receipts: unknown[];
                        /** @description Everything that is wrong. */
                        errors: {
                            /** @description A JSON Pointer to the place. */
                            path: string;
                            /** @description A short word for programs. */
                            code: string;
                            /** @description A sentence for people. */
                            message: string;
                            line?: number;
                        }[];
                        decoded: {
                            lines?: string[];
                            doc?: unknown;
                            /** @description Single values, by the lines in which they stand. */
                            fields?: {
                                [key: string]: unknown;
                            };
                            /** @description Lists of lines, such as the items. */
                            tables?: {
                                [key: string]: unknown;
                            };
                        };
                        /** @description Milliseconds that it took. */
                        time: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-mapping_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    tryPacket: {
        parameters: {
            query?: {
                /** @description Readable formatting. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description Makes the request safe to repeat.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the thing.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
                /**
                 * @description The id of the raw receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                packet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mapping": "json-receipts"
                 *     }
                 */
                "application/json": {
                    /** @description The mapping that converts it. */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description Try a mapping on a raw receipt */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        packet: components["schemas"]["PacketView"];
                        raw: {
                            /** @description The bytes as text; null where they are none. */
                            text: string | null;
                            /** @description False when only their beginning is shown. */
                            is_whole: boolean;
                        };
                        /** @description The one that was tried. */
                        mapping: string | null;
                        dry_run: {
                            receipts: unknown[];
                            /** @description Everything that is wrong. */
                            errors: {
                                /** @description A JSON Pointer to the place. */
                                path: string;
                                /** @description A short word for programs. */
                                code: string;
                                /** @description A sentence for people. */
                                message: string;
                                line?: number;
                            }[];
                            decoded: {
                                lines?: string[];
                                doc?: unknown;
                                /** @description Single values, by the lines in which they stand. */
                                fields?: {
                                    [key: string]: unknown;
                                };
                                /** @description Lists of lines, such as the items. */
                                tables?: {
                                    [key: string]: unknown;
                                };
                            };
                            /** @description Milliseconds that it took. */
                            time: number;
                        } | null;
                        /** @description The ids of the retailer's mappings, up to 100. */
                        mappings: string[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
            404: components["responses"]["404-packet_not_found-mapping_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
}

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
         * @description **Version 1.** Returns receipts in order of arrival, newest first. For the next page, pass the id of the last receipt as `older`. To follow new arrivals, pass the id of the newest receipt as `newer`. An empty array marks the end of the list. This version will be deprecated: use version 2.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
         *
         *     **Version 2.** Returns receipts in order of arrival, newest first. `next` links to older receipts and `prev` back to newer receipts. `newer` links to receipts that have arrived since. Follow it as long as the responses have a `prev` link, then try it again later. Links retain the filters. After a restore from a backup, links to lost receipts cause 400 `unknown_cursor`: start again with the first page.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
         */
        get: operations["listReceiptsV1"];
        put?: never;
        /**
         * Post a receipt
         * @description Stores a receipt durably before it responds. `transaction_id` is unique per retailer: if it already exists, the response is 409 with the `id` of the existing receipt, which a till can treat as success. With `duplicate: true`, the receipt is stored under `<transaction_id>-duplicate-<4 letters>`. A receipt can have at most 5000 items, 10000 properties and 20000 values in total; a larger receipt is rejected with 422 `too_many`. A credential that is restricted to consumers can post receipts only for these consumers.
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
    "/receipts/_batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a batch of receipts
         * @description Stores up to 500 receipts, for tills and back offices that were offline. Each receipt is processed as by `POST /receipts`. Results are independent of each other, except that a receipt with the `transaction_id` or `external_id` of an earlier, accepted receipt of the batch is treated as its duplicate. Receipts arrive in the order of the batch, and all accepted receipts are durable before the response is sent. In NDJSON, empty lines are skipped, and a line that is not JSON is rejected with `malformed_body`. With an `Idempotency-Key`, the whole batch is executed once: if the response is lost, repeat the batch with the same key and body to get the response of the first attempt.
         *
         *     Permission: `view.post_receipt`.
         */
        post: operations["createReceipts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reserve links for future receipts
         * @description Returns links that work before their receipts exist, so that a till can print QR codes in advance. Send `link` with the receipt, in `POST /receipts` or as metadata of `POST /pos/receipts`; the page of the link then shows the receipt. Until then, the page says that the receipt is on its way.
         *
         *     Permission: `view.post_receipt`.
         */
        post: operations["allotLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export receipts
         * @description Returns all receipts in a time range in order of arrival, as NDJSON (one receipt per line, as `GET /receipts/{id}` returns it) or as CSV with one row for each item. A cursor follows every 1000 receipts and the last receipt: in NDJSON a line `{"_cursor": "…"}`, in CSV a row with `#cursor` in the first cell and the cursor in the second. If the download is interrupted, discard everything after the last cursor and resume with `after`, so that no receipt is missing or repeated. A complete response ends with a cursor. Each CSV response begins with the column names. Text that a spreadsheet would interpret as a formula, also after a `;` or a tab, is prefixed with `'`.
         *
         *     Permission: `view.export_receipt`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["exportReceipts"];
        put?: never;
        post?: never;
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
         * @description Returns a receipt. While it is still being converted from raw data, the response is 409; if it was deleted, 410. With `consumer`, a receipt of another consumer causes 404.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        /**
         * Delete a receipt
         * @description Permanently deletes a receipt with all its data, and the addresses that it was sent to. The raw data and the attachments that only this receipt needed are deleted as well. Lists and searches no longer contain it, and GET returns 410. Its `transaction_id` and `external_id` stay reserved, so posting the receipt again does not restore it. Deleting a deleted receipt succeeds without effect.
         *
         *     Permission: `view.delete_receipt`.
         */
        delete: operations["deleteReceipt"];
        options?: never;
        head?: never;
        /**
         * Patch a receipt
         * @description Applies a JSON Patch (RFC 6902) to the receipt as GET returns it, completely or not at all. The patch can change `/identifier`, `/incomplete`, and `/properties` and `/items/{n}/return` with everything below them; it can test and copy all members. Removing the identifier sets it to `null` and requires the permission `view.unassign_receipt`. Deprecated: `application/json` with `{identifier}` changes only the identifier.
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
         * @description Assigns a receipt without an identifier to a consumer. If the receipt already has this identifier, the request succeeds; if it has another identifier, the request is rejected. With `consumer`, or with a signature that contains it, the identifier must be one of its values. Clients with the setting `assign_returns_receipt` get 200 with the receipt, others 204.
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
    "/receipts/{id}/_void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void a receipt
         * @description Marks a receipt as voided. The receipt remains in lists and searches, and its page shows that it was voided. It no longer counts in summaries, totals and loyalty programmes, and it cannot be sent. Rewards that were already issued remain valid. Voiding a voided receipt succeeds without effect.
         *
         *     Permission: `view.void_receipt`.
         */
        post: operations["voidReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}/returnable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the returnable items
         * @description Returns the items of a sale, each with the quantity that was returned and the quantity that can still be returned. Returned items are the items of receipts whose `related` refers to this receipt with type `return` or `exchange`, and the items of the receipt itself that have `return`. They are matched by `properties.product_code`, otherwise by name. Items of a voided sale cannot be returned.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
         */
        get: operations["getReturnable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}/_gift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a gift receipt
         * @description Returns links to a page and a PDF with the store, the date, the chosen items and their quantities, the message and the returns code, but without amounts, taxes, payments, consumer and fiscal data. The links work until the receipt is voided, deleted or erased, then they respond with 410. The returns desk finds the items with `GET /receipts/returnable`.
         *
         *     Permission: `view.post_gift_receipt`.
         */
        post: operations["createGiftReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/returnable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the returnable items of a gift receipt
         * @description Returns the same as `GET /receipts/{id}/returnable`, but only the items of the gift receipt with this returns code.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
         */
        get: operations["getGiftReturnable"];
        put?: never;
        post?: never;
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
         * @description Searches receipts by their content. A query consists of conditions `field:value`, separated by spaces. A value is a word, a `"phrase"`, a range `[a TO b]`, or `*` for any value; `+` requires a condition and `-` excludes it. [Searching](docs/search) lists the fields and operators. Receipts that match more of the optional conditions come first, then newer receipts.
         *
         *     Permission: `view.search_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
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
         * Rebuild the search index of receipts
         * @description Rebuilds the search index of a range of receipts, with the current stores and settings. Needed after a change of `dynamic_fields`, and after an upgrade that makes more fields searchable. Receipts can be read, searched and changed meanwhile. Repeat the request with `after` set to `next` until `next` is `null`. You can stop and continue at any time.
         */
        post: operations["reindexReceipts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get totals of receipts
         * @description Adds up receipts by day, store, till and currency. Amounts are exact decimal sums. The response includes every receipt and every change that was acknowledged before the request. A receipt counts towards the day of its `localtime`, regardless of when it arrives. Duplicates and deleted receipts are excluded; voided receipts are included only in `voids`. Rows are sorted by their groups, as text.
         *
         *     Permission: `view.get_report`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["getTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/gaps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List gaps in the numbers of tills
         * @description Lists the tills that number their receipts (`till_sequence`), and the numbers that are missing among their receipts of these days, in the order of sale. A receipt that arrives late closes its gap. Duplicates, voided and deleted receipts count as received. A number that falls by more than 1,000 below the last one is a restart, not a gap. A gap between two days shows in a range that includes both. Tills are sorted by store and id, as text.
         *
         *     Permission: `view.get_report`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["getGaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/tills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tills
         * @description Lists the tills from which receipts have arrived, with what is known of their till agents. A till that has sent only raw data is listed while it has failures of today, or if it has run a till agent in the last 30 days. Today is the day in the time zone of the store, or of the retailer if the store has none. At most the 10,000 newest failures and the 10,000 latest till agents are considered. Tills are sorted by store and id, as text.
         *
         *     Permission: `view.get_report`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["getTills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/totals.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export totals of receipts as CSV
         * @description Returns the rows of `GET /reports/totals` as CSV (RFC 4180): the columns of the groups, currency, receipts, items, total, net, discounts, returns_items, returns_total, voids_receipts, voids_total, first_localtime, last_localtime, then one column for each tax (`tax:<name>:<rate>`) and payment method (`payment:<method>`; `payment:<method>:<currency>` for payments in another currency than the row), and `charges` and `tips` if there are any, sorted as text. Text that a spreadsheet would interpret as a formula, also after a `;` or a tab, is prefixed with `'`.
         *
         *     Permission: `view.get_report`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["exportTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/services/receipt-store/_rebuild_totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild totals from the receipts
         * @description Adds up the receipts of all retailers again, in the background. Until that is done, `GET /reports/totals` returns the existing totals, which stay up to date. A crash interrupts the rebuild but does no harm. Repeating the request restarts the rebuild.
         */
        post: operations["rebuildTotals"];
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
         * @description Accepts a raw receipt in any format and converts it asynchronously with a mapping that you have set up in advance. The header `Location` contains the URL of the future receipt. Query parameters `property-<name>` and headers `service-property-<name>` are stored as free-form properties. Names are case-insensitive, and `-` is equivalent to `_`. Headers take precedence over query parameters, and the first of several values takes precedence over the others. A credential that is restricted to consumers must send one of these consumers as `identifier`.
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
         * @description Accepts a raw receipt inside JSON. Discouraged for new integrations: use `POST /pos/receipts`. An entry with the same `source_id` and `entry_id` can be posted again and is converted only once.
         *
         *     Permission: `view.post_pos_data`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Stores a file that receipts can reference by its id. The body is the file itself, with its Content-Type.
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
         * @description Returns the file with its media type. With `consumer`, only attachments of those consumers' receipts can be read. An attachment is deleted together with the last receipt that refers to it.
         *
         *     Permission: `view.get_attachment`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
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
         * @description Returns the raw receipts, newest first.
         *
         *     Permission: `view.get_packet`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * List failed raw receipts
         * @description Groups the failed raw receipts of all retailers by retailer, reason and mapping, largest group first, and returns the newest packets in full. Only the newest 10,000 are counted.
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
         * Get a raw receipt
         * @description Returns the state of a packet, and the errors if it could not be converted.
         *
         *     Permission: `view.get_packet`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * Get the data of a raw receipt
         * @description Returns the data and the content type as posted. The data is deleted together with the last receipt of the packet, when its last consumer is erased, or after the retention period.
         *
         *     Permission: `view.get_packet`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Converts a failed packet again, for example after its mapping has been fixed. A packet that is still being converted is not affected.
         *
         *     Permission: `view.reprocess_packet`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Converts failed packets again, in the background: all of them, or only those selected by `reason` and `mapping`. Packets whose data was deleted are left out.
         *
         *     Permission: `view.reprocess_packet`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Sends a stored receipt over the given channels. With `resolve`, nothing is sent: the response contains the available channels and the addresses. A voided receipt is rejected. A credential that is restricted to consumers can only send to the addresses of these consumers. At most 5 receipts are sent to an address within 10 minutes, and a receipt is sent at most 20 times within 24 hours. Receipts that are sent on arrival count towards these limits, but are never rejected. A credential can send at most 6,000 receipts per minute.
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
         * @description Returns the deliveries of a receipt, newest first, and explains whether it can be sent. With `consumer`, a receipt of another consumer causes 404. Deliveries are deleted with their receipt, or 400 days after their last change.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
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
         * List pending deliveries
         * @description Groups the pending deliveries of all retailers by retailer, channel and last error, largest group first. Only the 10,000 deliveries that are due first are counted. Addresses are not shown.
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
         * Verify the callback URL for a provider
         * @description Responds to the verification request of the WhatsApp Cloud API with its challenge, if the verify token is correct.
         */
        get: operations["confirmChannelCallback"];
        put?: never;
        /**
         * Receive a status callback from a messaging provider
         * @description Called by the provider of SMS or WhatsApp messages to report the outcome of a message. The request must be signed by the provider, in `X-Twilio-Signature` or `X-Hub-Signature-256`. It is idempotent. Reports on unknown messages are accepted and ignored.
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
         * Get the links to a receipt's renderings
         * @description Returns links to the web page for the consumer, its QR code and the PDF. The links need no credential.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
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
         * Revoke the links to a receipt's renderings
         * @description Invalidates all links of the receipt and returns new links.
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
    "/r/{token}.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take a receipt along as CSV
         * @description Returns the receipt as a file: the columns of `GET /receipts/export`, with an empty `identifier` and one row for each item.
         */
        get: operations["showReceiptCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}.ekabs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take a receipt along as an EKaBS document
         * @description Returns the receipt as a file: the German "elektronischer Kassenbeleg", with the data of the TSE.
         */
        get: operations["showReceiptEkabs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take a receipt along as JSON
         * @description Returns the receipt as a file: as its page shows it, without free-form data, the identifier, and card facts other than the brand and the last four digits.
         */
        get: operations["showReceiptJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}.ubl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take a receipt along as an electronic invoice
         * @description Returns the receipt as a file: a UBL 2.1 invoice by EN 16931, or a credit note if the total is negative. A receipt that lacks what the standard requires causes 422, and `errors` names each missing business term.
         */
        get: operations["showReceiptUbl"];
        put?: never;
        post?: never;
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
         * @description Returns the receipt as a web page or as plain text. The link `_links.webview` of a receipt points here. The language is taken from `lang`, which the browser keeps for all receipts in a cookie, from `Accept-Language` (among the receipt's translations), from the receipt, from its store or from its retailer, in this order. A link from `POST /receipts/_link` shows a page that refreshes itself until its receipt exists. As `application/json`, the response is `{status}`: `waiting` until then, and `ready` afterwards.
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
         * @description Returns the receipt as a PDF. The link `_links.pdf` of a receipt points here. The language is chosen as for the page. If the texts of items and payments have more than 200,000 characters in total, long texts are shortened; the page shows all of them.
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
    "/r/{token}/pass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a receipt as a pass for Apple Wallet
         * @description Returns the receipt as a signed `.pkpass` file. The language is chosen as for the page. The operator must have set `APPLE_WALLET`.
         */
        get: operations["showReceiptPass"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}/attachments/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an attachment of a receipt
         * @description Returns the file with its media type. The page and the PDF of the receipt link here.
         */
        get: operations["showReceiptAttachment"];
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
         * @description Returns a QR code with the link to the page, as PNG or SVG. The link `_links.webview.qrcode` of a receipt points here.
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
    "/gift/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a gift receipt
         * @description Returns the gift receipt as a web page, with the returns code as CODE128. The link `webview` of a gift receipt points here. The language is chosen as for a receipt.
         */
        get: operations["showGiftReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gift/{token}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a gift receipt as a PDF
         * @description Returns the gift receipt as a PDF. The link `pdf` of a gift receipt points here.
         */
        get: operations["showGiftReceiptPdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gift/{token}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the QR code of a gift receipt
         * @description Returns a QR code with the link to the page of the gift receipt, as PNG or SVG. The link `webview.qrcode` of a gift receipt points here.
         */
        get: operations["showGiftReceiptQr"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receipts/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proof of a receipt
         * @description Returns a compact JWS (ES256) about the receipt, which anyone can verify with the keys of `/.well-known/jwks.json`. Its `sha256` is the digest of the canonical JSON (RFC 8785) of the receipt as `GET /receipts/{id}` returns it. The proof stays the same until the receipt changes.
         *
         *     Permission: `view.get_receipt`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
         */
        get: operations["getReceiptProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/r/{token}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proof of a receipt through its link
         * @description Returns the proof of the receipt as a file. The receipt's page links here.
         */
        get: operations["showReceiptProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public keys for proofs
         * @description Returns the keys that verify proofs of receipts, as a JSON Web Key Set (RFC 7517), the current key first. Older keys remain, so that older proofs remain valid.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/services/delivery/_rotate_keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new key for proofs
         * @description Creates the key that signs proofs from now on. Earlier keys are kept, so that earlier proofs remain valid.
         */
        post: operations["rotateSigningKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the page that verifies proofs
         * @description Returns a page on which anyone can verify the proof of a receipt.
         */
        get: operations["showVerification"];
        put?: never;
        /**
         * Verify the proof of a receipt
         * @description Verifies a proof, and checks that it belongs to the receipt if one is sent with it. The response is a page, or JSON with `Accept: application/json`. The status is 200 even if the proof is not genuine. The response contains no personal data other than what was sent.
         */
        post: operations["verifyProof"];
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
         * Show the page to unsubscribe from receipts
         * @description Returns a page with a button to confirm. The header `List-Unsubscribe` of e-mails points here.
         */
        get: operations["showUnsubscribe"];
        put?: never;
        /**
         * Unsubscribe from receipts
         * @description Opts the recipient of the e-mail out of receipts, even if the receipt has been deleted or now belongs to another consumer. Adds `receipts` to the consumer's opt-out tags, and stops sending receipts to the address on arrival. If the e-mail was sent to an address from `_send` that is not the consumer's, only the address is opted out. The body is ignored; mail programs send `List-Unsubscribe=One-Click` (RFC 8058). The request is idempotent.
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
         * Recover missed deliveries and events
         * @description Recovers, in the background, what the broker has lost: sends receipts from the last 24 hours that should have been sent on arrival, and delivers missing events to the feed and to webhooks. The service also does this when it starts, after the broker was unavailable, and periodically.
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
         * @description Returns the webhook endpoints without their secrets, newest first.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Creates an endpoint that receives events as Standard Webhooks 1.0. The response contains the signing secret, which is returned only once. Events are delivered at least once: `webhook-id` is the id of the event and is the same in all attempts.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Returns the webhook endpoint without its secret.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deletes the endpoint with all its deliveries, including pending deliveries.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Patch a webhook endpoint
         * @description Accepts a JSON object with the fields to change, or a JSON Patch (RFC 6902). Enabling an endpoint resets its failures; `_recover` sends the events that occurred while it was disabled.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Replaces the secret and returns the new secret. For 24 hours, `webhook-signature` also contains a signature with the old secret.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Posts an event of type `webhook.test` once, even to a disabled endpoint. The list of deliveries shows the result.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Returns the deliveries of an endpoint, newest first, with the headers of requests and responses. Deliveries are kept as long as events.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Sends the event again immediately, with the same `webhook-id` and a new schedule of attempts. During an attempt, which takes at most 15 seconds, the response is 409.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * Resend missed events to a webhook endpoint
         * @description Resends the events that the endpoint has missed since a given time: those whose delivery failed, and those that occurred while it was disabled. They are sent in the background, oldest first.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * List the event types
         * @description Returns the event types that webhook endpoints and the event feed can select.
         *
         *     Permission: `view.manage_webhook`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * List failing webhook endpoints
         * @description Returns the endpoints of all retailers that are failing, and those that the platform has disabled, at most 100 of each. Only the origin of their URLs is shown, because the rest may contain a secret.
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
         * Read the event feed
         * @description Returns the events after a cursor, oldest first. A reader that follows `_links.next` does not miss any event. Without `after`, the feed starts now: the first request of a retailer starts the recording, which ends 30 days after the last one. Events are kept for 30 days (the retailer setting `event_days`). If events after the cursor were deleted or not recorded, or if the cursor is newer than a restored backup, the response is 410 `cursor_expired`: start again without `after`.
         *
         *     Permission: `view.get_events`.
         *
         *     Signatures that contain `consumer`, and clients with the setting `consumer_required`, are rejected with 403.
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
         * @description Returns the properties of a consumer and the totals of their receipts.
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
         * @description Applies a JSON Patch (RFC 6902) to the identifier as GET returns it, completely or not at all. The patch can change `/properties` and everything below it, and can test and copy all members. Deprecated: `application/json` with `{properties}` sets individual properties; `opt-out+=` and `opt-out-=` add and remove opt-out tags.
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
         * @description Returns the identifiers, most recently updated first.
         *
         *     Permission: `view.get_identifier`.
         */
        get: operations["listIdentifiers"];
        put?: never;
        /**
         * Create an identifier
         * @description Registers a consumer. If the identifier already exists, even if only on a receipt, the response is 409 `identifier_exists`. A signature that contains `consumer` can only create one of its values.
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
         * @description Searches consumers, in the same query language as `GET /receipts/_search`. A value matches the beginning of any word of a text, or the complete text with `.exact`. Identifiers that match more of the optional conditions come first, then newer identifiers.
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
         * @description Checks an e-mail address while the consumer can still correct it. `status` is `invalid` only if the address certainly cannot receive e-mail. If the check does not finish in time, `status` is `valid` and the result `unknown`.
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
         * @description Permanently erases a consumer. Receipts keep their figures but lose all personal data and their attachments. The raw data of receipts is deleted, unless it also contains receipts of others. The identifier with its properties and summary is deleted, rewards are kept but no longer refer to the consumer, and addresses are removed from deliveries. The work continues after the 202 response and takes at most a minute. Repeat the request, without an `Idempotency-Key` or with a new one, until the response is 204, which means that the erasure is complete. `identifier.erased` is published at that point. A later receipt with the same identifier creates it again.
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
         * Export the data of an identifier
         * @description Returns all stored data about a consumer, one JSON object per line: `{"type": "identifier", "identifier": {…}}`, then `{"type": "reward", "program_id": 1, "reward": {…}}` for each reward, then `{"type": "receipt", "receipt": {…}}` for each receipt in order of arrival. A response ends after a few megabytes; if there is more data, the header `Link` contains the URL of the next part with `rel="next"`.
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
         * Recover missed summaries and rewards
         * @description Compares summaries, identifiers and rewards with the receipts from which they are derived, and corrects them, in the background. The service also does this when it starts, after the broker was unavailable, and periodically.
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
         * @description Checks that a registration code belongs to a card. An unknown card causes the same error as a wrong code. After 10 wrong codes for a card within an hour, or 100 wrong codes from a caller within ten minutes, all further attempts in that period are rejected with 429, even with the right code.
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
         * @description Accepts an array of `{card_number, registration_code}` as `application/json`, or `text/csv` (RFC 4180) with a header line that names these two columns; at most 200000 cards. Either all cards are imported or none; each invalid card is reported with its position. The code of an existing card is replaced. Cards that are not in the body are kept.
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
         * @description Returns all rewards, newest first. A long list is streamed. If an error occurs while streaming, the connection is closed before the end of the body.
         *
         *     Permission: `view.get_loyalty`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
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
         * Export loyalty rewards as CSV
         * @description Returns the rewards of `GET /loyalty/{program_id}/rewards` as CSV (RFC 4180) with the columns id, identifier, name, claimed, value, timestamp, receipt_timestamp. Text that a spreadsheet would interpret as a formula, also after a `;` or a tab, is prefixed with `'`.
         *
         *     Permission: `view.get_loyalty`.
         *
         *     Clients with the setting `consumer_required` must specify `consumer`.
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
         * @description Returns the retailers with their settings, newest first.
         */
        get: operations["browseRetailers"];
        put?: never;
        /**
         * Create a retailer
         * @description Creates a retailer. Missing settings take their defaults; the response contains all of them.
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
         * @description Returns the retailer with all settings, including those with their default values.
         */
        get: operations["getRetailer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch a retailer
         * @description Accepts a JSON Patch (RFC 6902) as `application/json-patch+json`, or a JSON Merge Patch (RFC 7396) as `application/merge-patch+json` or `application/json`. It can change `name`, `vatno` and `settings`. A setting that is removed or merged with `null` returns to its default. Changes take effect in all services within a second. A change of `dynamic_fields` that would make the filters of webhook endpoints invalid is rejected with 409 `setting_in_use`, which lists them in `used_by`; with `force=true` it is made, and these endpoints are disabled with the reason `invalid_filter`.
         */
        patch: operations["patchRetailer"];
        trace?: never;
    };
    "/logos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an uploaded logo
         * @description Returns a logo that was uploaded in the portal. The `logo` of `brand` points here; the address changes with the image.
         */
        get: operations["showLogo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Accepts and returns the same as `POST /clients/{authentication}`. The operator can grant any permission.
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
         * List the queues for a retailer's events
         * @description Returns the subscriptions of a retailer, at most 20, without passwords.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Create a queue for a retailer's events
         * @description Creates a durable queue, which receives this retailer's events from now on, and a RabbitMQ user that can only consume from this queue. The password is returned only once.
         *
         *     The queue retains events for 30 days, up to 1 GiB in total; the oldest events are dropped first. A consumer that was offline for longer reads the missing events from `GET /events`. The same applies after a reset of the broker, because the queue is then created again without its messages. The feed records events only for retailers that read it. Therefore, call `GET /events` once before you start to consume, store `_links.next`, and follow it at least once a day.
         *
         *     If the management interface of the broker is not configured, the response is 501.
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
         * Delete a queue for a retailer's events
         * @description Closes the connections of the consumer, and deletes its user and its queue with all events in it.
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
         * @description Returns the stores, newest first.
         *
         *     Permission: `view.get_store`.
         */
        get: operations["listStores"];
        put?: never;
        /**
         * Create a store
         * @description Creates a store. `reference` and `external_reference` are each unique per retailer: a value that is already in use causes 409 `store_exists`.
         *
         *     Permission: `view.post_store`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Finds a store by its `reference` or its `external_reference`. A value that equals an `external_reference` is interpreted as such; otherwise digits, with or without leading zeros, are interpreted as a `reference`.
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
         * @description Applies a JSON Patch (RFC 6902) to the store as GET returns it, completely or not at all. All fields except `id` and `updated_timestamp` can be changed.
         *
         *     Permission: `view.patch_store`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Returns the clients without their secrets, newest first.
         *
         *     Permission: `view.get_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Create an API client
         * @description Creates a credential for a till, a back office or an application. A missing key or secret is generated. You cannot grant a permission that you do not hold. A client created by a client with `consumer_required` also has that setting.
         *
         *     Permission: `view.post_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Returns the client without its secret, which only POST and PATCH return.
         *
         *     Permission: `view.get_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch an API client
         * @description Changes the given fields. At most one of the three permission fields may be given. You cannot grant a permission that you do not hold, nor patch a client that holds more permissions than you do, because the response contains its secret. `settings` are merged field by field; `consumer_required` can only be changed by a client that does not have it.
         *
         *     Permission: `view.patch_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Returns the tokens that were issued with `POST /clients/bearer/{client_id}/tokens`, newest first. Tokens that you sign yourself are not listed.
         *
         *     Permission: `view.get_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Issue a bearer token
         * @description Returns a JSON Web Token (HS256) for the client, for use without the shared secret. The token is returned only once.
         *
         *     Permission: `view.patch_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Revokes one token by its `jti`, including one that you signed yourself, or all tokens issued so far. Revocations take effect within a second.
         *
         *     Permission: `view.patch_client`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Creates or updates a portal user. A user created by another retailer or by the operator cannot be managed here and causes 404. The client must hold all permissions of the user's new group and, for an existing user, of the old one; a user without a group, or in a group without `portal_permissions`, has `view.get_receipt` and `view.search_receipt`. A client with the setting `consumer_required` cannot manage users, because portal users see the receipts of all consumers. With `stores`, a user finds, sees and changes only receipts of these stores, on every page, in totals and in exports, and has no access to what belongs to the whole retailer, such as clients, webhooks and mappings.
         *
         *     Permission: `view.put_portal_user`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Accepts the same as `PUT /portal/user/{email}`. Only the operator can manage a user that is created here. Users created by the retailer remain under its control.
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
         * @description Sends an e-mail with a link to set a new password. The link works once and expires after a day; earlier links of the user become invalid. At most three e-mails per hour are sent to an address. The client must hold all permissions of the user's group.
         *
         *     Permission: `view.reset_portal_user`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Returns messages that could not be processed, newest first, from one queue or from all.
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
         * Get a dead letter
         * @description Returns the message with its content: the event, or the items of the command.
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
         * @description Returns the selected messages to their queue, with the same ids and a new count of attempts. Unknown ids are ignored.
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
         * @description Deletes the selected messages permanently. Unknown ids are ignored.
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
         * Get the status of the platform
         * @description Returns the services with their processes and versions, the lengths of the queues, and the events that are not published yet. A service is ready while at least one process consumes its requests. Processes report every 5 seconds; processes that have been silent for 20 seconds are not shown.
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
         * Get the throughput of the platform
         * @description Returns the throughput of each service over the last 30 minutes in 10-second intervals, oldest first. The gateway counts completed requests; the other services count handled messages. The admin process that responds keeps the figures in memory, so there are none from before its start.
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
         * List the audit log of the operator
         * @description Returns all write requests under `/operator`, including rejected requests, newest first. Entries are kept for a year.
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
    "/pos/mappings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mappings
         * @description Returns the newest version of each mapping, sorted by id. With `status`, it returns the newest version with this status.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
         */
        get: operations["listMappings"];
        put?: never;
        /**
         * Post a mapping
         * @description Creates the first version of a mapping, or the next version of an existing mapping, as a draft. A regular expression (RE2) or an expression that cannot be compiled causes 422.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Returns the newest version of a mapping, or the requested version.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
         */
        get: operations["getMapping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Patch a mapping
         * @description Applies a JSON Patch (RFC 6902) to the newest version and stores the result as the next version, a draft.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Runs the samples of a version. If all of them pass, the version becomes active and the previous active version becomes inactive. Otherwise the response is 422 with the differences.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Makes the active version inactive. A mapping without an active version does not change.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Converts raw data without storing anything, and returns the receipts or the errors, and the decoded data. Use it to develop a mapping.
         *
         *     Permission: `view.manage_mapping`.
         *
         *     Signatures that contain `consumer` are rejected with 403.
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
         * @description Runs a mapping on the data of a failed packet, without changing anything, and returns the result together with the data. It runs the mapping that failed unless another mapping is named.
         */
        post: operations["dryRunPacket"];
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
        /** @default {} */
        BrandSettings: {
            /**
             * @description The name at the top of receipts; `null` shows the name of the retailer.
             * @default null
             */
            name?: string | null;
            /**
             * @description The URL of the image at the top of receipts. E-mails and PDFs contain it if it is a PNG or JPEG of at most 256 KiB; a PNG may have 300,000 pixels, a JPEG 4,000,000.
             * @default null
             */
            logo?: string | null;
            /**
             * @description The accent colour of receipts, such as `#00aa66`.
             * @default null
             */
            colour?: string | null;
            /**
             * @description Text shown above the items of a receipt.
             * @default null
             */
            header?: string | null;
            /**
             * @description Text shown at the end of a receipt.
             * @default null
             */
            footer?: string | null;
            /**
             * @description Links at the end of receipts.
             * @default []
             */
            links?: {
                /** @description The text of the link. */
                name: string;
                /** @description The URL that the link opens. */
                href: string;
            }[];
            /**
             * @description The texts and links for readers of other languages, by language tag, such as `fr` or `pt-BR`. The case of a tag has no meaning. A text that is `null` is taken from `brand`.
             * @default {}
             */
            translations?: {
                [key: string]: {
                    /**
                     * @description Text shown above the items of a receipt.
                     * @default null
                     */
                    header?: string | null;
                    /**
                     * @description Text shown at the end of a receipt.
                     * @default null
                     */
                    footer?: string | null;
                    /**
                     * @description Links at the end of receipts; `null` uses those of `brand`.
                     * @default null
                     */
                    links?: {
                        /** @description The text of the link. */
                        name: string;
                        /** @description The URL that the link opens. */
                        href: string;
                    }[] | null;
                };
            };
        };
        BrandSettingsAnswer: {
            /**
             * @description The name at the top of receipts; `null` shows the name of the retailer.
             * @default null
             */
            name: string | null;
            /**
             * @description The URL of the image at the top of receipts. E-mails and PDFs contain it if it is a PNG or JPEG of at most 256 KiB; a PNG may have 300,000 pixels, a JPEG 4,000,000.
             * @default null
             */
            logo: string | null;
            /**
             * @description The accent colour of receipts, such as `#00aa66`.
             * @default null
             */
            colour: string | null;
            /**
             * @description Text shown above the items of a receipt.
             * @default null
             */
            header: string | null;
            /**
             * @description Text shown at the end of a receipt.
             * @default null
             */
            footer: string | null;
            /**
             * @description Links at the end of receipts.
             * @default []
             */
            links: {
                /** @description The text of the link. */
                name: string;
                /** @description The URL that the link opens. */
                href: string;
            }[];
            /**
             * @description The texts and links for readers of other languages, by language tag, such as `fr` or `pt-BR`. The case of a tag has no meaning. A text that is `null` is taken from `brand`.
             * @default {}
             */
            translations: {
                [key: string]: {
                    /**
                     * @description Text shown above the items of a receipt.
                     * @default null
                     */
                    header: string | null;
                    /**
                     * @description Text shown at the end of a receipt.
                     * @default null
                     */
                    footer: string | null;
                    /**
                     * @description Links at the end of receipts; `null` uses those of `brand`.
                     * @default null
                     */
                    links: {
                        /** @description The text of the link. */
                        name: string;
                        /** @description The URL that the link opens. */
                        href: string;
                    }[] | null;
                };
            };
        };
        CardWithCode: {
            /** @description The number on the card. */
            card_number: string;
            /** @description The registration code that came with the card. */
            registration_code: string;
        };
        CloudEvent: {
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
            /** @description The media type of `data`: always `application/json`. */
            datacontenttype: string;
            /** @description The path of the JSON Schema of `data`, relative to the base URL. */
            dataschema: string;
            /** @description The id of the retailer that the event belongs to. */
            retailer: string;
            /** @description The version of the subject, which orders its events. Not every version has an event. */
            sequence: number;
            /** @description The `request-id` of the request that started the chain of events. */
            correlationid: string;
            /** @description The id of the message that caused the event. */
            causationid?: string;
            /** @description The W3C trace context of the cause, if there is one. */
            traceparent?: string;
            /** @description The data of the event. `dataschema` is the path of its schema. */
            data: unknown;
        };
        /**
         * @description The returns code of the gift receipt, printed on it as CODE128.
         * @example 0000123456789012345678901234567890
         */
        GiftId: string;
        MappingDocumentAnswer: {
            /** @description The id of the mapping, unique per retailer: letters, digits, `_`, `.` and `-`. */
            id: string;
            /** @description Your own note about the mapping. */
            description?: string;
            /** @description The packets to which the mapping applies. By default, it applies to all packets. */
            match?: components["schemas"]["MappingMatchAnswer"];
            /** @description How the raw data is decoded. */
            decode: {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "json";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "xml";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description Whether the names of elements keep their namespace prefixes. Defaults to `false`. */
                keep_prefixes?: boolean;
                /** @description Whether `doc` is the root element, and every element is an object with `name`, `attributes`, `text` (its own text, joined, with its spaces) and `children` in the order of the document. Defaults to `false`. */
                ordered?: boolean;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "csv";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The characters between two values. By default, the most frequent of comma, semicolon, tab and `|` in the first line. */
                delimiter?: string;
                /** @description The character that encloses values. Defaults to a double quote. */
                quote?: string;
                /** @description `true` if the first line contains the names of the columns, or a list of these names. If several columns have the same name, the second is called `name_2`, the third `name_3`. */
                header?: boolean | string[];
                /** @description The number of lines to skip at the beginning. */
                skip_lines?: number;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "text";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "escpos";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
                /**
                 * @description The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.
                 * @enum {string}
                 */
                printer?: "epson" | "star" | "bixolon" | "citizen" | "xprinter" | "pos-5890" | "hp" | "fujitsu" | "mpt" | "youku";
                /** @description The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`. */
                code_pages?: {
                    [key: string]: string;
                };
                /**
                 * @description The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.
                 * @enum {string}
                 */
                multibyte?: "shift_jis" | "gb18030" | "big5" | "euc-kr";
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "star";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
                /**
                 * @description The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.
                 * @enum {string}
                 */
                printer?: "epson" | "star" | "bixolon" | "citizen" | "xprinter" | "pos-5890" | "hp" | "fujitsu" | "mpt" | "youku";
                /** @description The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`. */
                code_pages?: {
                    [key: string]: string;
                };
                /**
                 * @description The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.
                 * @enum {string}
                 */
                multibyte?: "shift_jis" | "gb18030" | "big5" | "euc-kr";
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "opos";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "epos";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "pdf";
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
            };
            /** @description What is read from decoded lines. Only for line formats: text, ESC/POS, Star, OPOS, ePOS and PDF. */
            extract?: components["schemas"]["MappingExtractAnswer"];
            /** @description How the decoded data is converted to receipts. */
            transform: {
                /**
                 * @description The language of the expression.
                 * @constant
                 */
                language: "jsonata";
                /** @description The expression that converts the decoded data to a receipt, or to a list of receipts. */
                expression: string;
            };
            /** @description Members that are added to the receipt if the expression does not set them. */
            defaults?: {
                [key: string]: unknown;
            };
            /** @description The resources that a conversion may use. */
            limits?: components["schemas"]["MappingLimitsAnswer"];
            /** @description Examples of raw data with the expected receipts. All must pass before the mapping is activated. */
            samples?: components["schemas"]["MappingSampleAnswer"][];
            /** @description The version of the mapping, from 1. Versions never change. */
            version: number;
            /**
             * @description Whether the version is in use (`active`), was in use (`inactive`) or was never in use (`draft`).
             * @enum {string}
             */
            status: "draft" | "active" | "inactive";
        };
        MappingExtract: {
            /** @description Single values to read from the lines, by name. */
            fields?: {
                [key: string]: {
                    /** @description A regular expression (RE2). The first matching line provides the value. */
                    line: string;
                    /** @description The names of the capturing groups, in order. The value is then an object. */
                    groups?: string[];
                    /** @description Whether the last matching line provides the value, instead of the first. Defaults to `false`. */
                    last?: boolean;
                };
            };
            /** @description Tables to read from the lines, such as the items, by name. */
            tables?: {
                [key: string]: {
                    /** @description A regular expression (RE2). The table starts after the first line that matches. */
                    from?: string;
                    /** @description A regular expression (RE2). The table ends before the next line that matches. */
                    to?: string;
                    /** @description A regular expression (RE2). Each matching line starts a row. */
                    row: string;
                    /** @description A regular expression (RE2). A matching line belongs to the previous row. */
                    continuation?: string;
                    /** @description Whether `row` can match several times in a line, so that two items in a line are two rows. Defaults to `false`. */
                    repeat?: boolean;
                };
            };
        };
        MappingExtractAnswer: {
            /** @description Single values to read from the lines, by name. */
            fields?: {
                [key: string]: {
                    /** @description A regular expression (RE2). The first matching line provides the value. */
                    line: string;
                    /** @description The names of the capturing groups, in order. The value is then an object. */
                    groups?: string[];
                    /** @description Whether the last matching line provides the value, instead of the first. Defaults to `false`. */
                    last?: boolean;
                };
            };
            /** @description Tables to read from the lines, such as the items, by name. */
            tables?: {
                [key: string]: {
                    /** @description A regular expression (RE2). The table starts after the first line that matches. */
                    from?: string;
                    /** @description A regular expression (RE2). The table ends before the next line that matches. */
                    to?: string;
                    /** @description A regular expression (RE2). Each matching line starts a row. */
                    row: string;
                    /** @description A regular expression (RE2). A matching line belongs to the previous row. */
                    continuation?: string;
                    /** @description Whether `row` can match several times in a line, so that two items in a line are two rows. Defaults to `false`. */
                    repeat?: boolean;
                };
            };
        };
        MappingLimits: {
            /** @description The maximum CPU time in milliseconds. Defaults to 500. */
            timeout_ms?: number;
            /** @description The maximum memory in megabytes. Defaults to 64. */
            memory_mb?: number;
            /** @description The maximum size of the result in kilobytes. Defaults to 512. */
            max_output_kb?: number;
            /** @description The maximum number of receipts in a packet. Defaults to 50. */
            max_receipts?: number;
        };
        MappingLimitsAnswer: {
            /** @description The maximum CPU time in milliseconds. Defaults to 500. */
            timeout_ms?: number;
            /** @description The maximum memory in megabytes. Defaults to 64. */
            memory_mb?: number;
            /** @description The maximum size of the result in kilobytes. Defaults to 512. */
            max_output_kb?: number;
            /** @description The maximum number of receipts in a packet. Defaults to 50. */
            max_receipts?: number;
        };
        MappingMatch: {
            /** @description The media types to which the mapping applies. `*` at the end matches any ending, as in `text/*`. */
            content_type?: string[];
            /** @description The sources to which the mapping applies. `*` at the end matches any ending, as in `pos-*`. */
            source_id?: string[];
            /** @description The stores to which the mapping applies. `*` at the end matches any ending, as in `10*`. */
            store_reference?: string[];
            /** @description The tills to which the mapping applies. `*` at the end matches any ending, as in `kiosk-*`. */
            till_id?: string[];
            /** @description Strings, at least one of which must occur in the data. They are compared as UTF-8 bytes and are case-sensitive. Use them to distinguish formats with the same media type. */
            contains?: string[];
        };
        MappingMatchAnswer: {
            /** @description The media types to which the mapping applies. `*` at the end matches any ending, as in `text/*`. */
            content_type?: string[];
            /** @description The sources to which the mapping applies. `*` at the end matches any ending, as in `pos-*`. */
            source_id?: string[];
            /** @description The stores to which the mapping applies. `*` at the end matches any ending, as in `10*`. */
            store_reference?: string[];
            /** @description The tills to which the mapping applies. `*` at the end matches any ending, as in `kiosk-*`. */
            till_id?: string[];
            /** @description Strings, at least one of which must occur in the data. They are compared as UTF-8 bytes and are case-sensitive. Use them to distinguish formats with the same media type. */
            contains?: string[];
        };
        MappingSample: {
            /** @description The raw data of the sample in base64. */
            input_base64: string;
            /** @description The media type with which the sample is sent. */
            content_type?: string;
            /** @description The free-form properties with which the sample is sent. */
            properties?: {
                [key: string]: unknown;
            };
            /** @description The metadata with which the sample is sent. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The expected receipt, or receipts. Members that are not listed here are not compared. */
            expect: {
                [key: string]: unknown;
            } | {
                [key: string]: unknown;
            }[];
        };
        MappingSampleAnswer: {
            /** @description The raw data of the sample in base64. */
            input_base64: string;
            /** @description The media type with which the sample is sent. */
            content_type?: string;
            /** @description The free-form properties with which the sample is sent. */
            properties?: {
                [key: string]: unknown;
            };
            /** @description The metadata with which the sample is sent. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The expected receipt, or receipts. Members that are not listed here are not compared. */
            expect: {
                [key: string]: unknown;
            } | {
                [key: string]: unknown;
            }[];
        };
        MappingVersion: {
            /** @description The id of the mapping. */
            id: string;
            /** @description The version of the mapping. */
            version: number;
        };
        PacketFault: {
            /** @description A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping. */
            path: string;
            /** @description The stable code of the error. */
            code: string;
            /** @description The error in words. */
            message: string;
            /** @description The part of the raw data in which the error occurred, from 0, if it belongs to one. */
            part?: number;
        };
        /** @description The metadata sent with the data, without free-form properties and attachments. */
        PacketMetadata: {
            /** @description Whether the receipt is another copy. Defaults to `false`. */
            duplicate?: boolean;
            /** @description A UUIDv4 of your choice. You can retry a request with the same id and data: the data is converted only once. Different data causes 409. */
            external_id?: string;
            /** @description The transaction id of the receipt, if the mapping does not set one. */
            transaction_id?: string;
            /** @description The store of the receipt, if the mapping does not set one. It is also used to choose the mapping. */
            store_reference?: string;
            /** @description The name of the till. It is used to choose the mapping. */
            till_id?: string;
            /** @description The id of the till, if the mapping does not set one. */
            till_uuid?: string;
            /** @description The till’s own number of the first receipt, if the mapping does not set one. */
            till_sequence?: number;
            /** @description The source of the data. It is used to choose the mapping. */
            source_id?: string;
            /** @description When the entry was created at its source, ISO 8601. Only with `POST /pos/data`. */
            source_read?: string;
            /** @description The id of the entry at its source. Only with `POST /pos/data`. */
            entry_id?: string;
            /** @description The consumer who owns the receipt, if the mapping does not set one. */
            identifier?: string;
            /** @description A link from `POST /receipts/_link`. Its page shows the first receipt of the data. A link can be used once. */
            link?: string;
            /** @description The id of the mapping to use. Defaults to the best match. */
            mapping?: string;
        };
        PacketView: {
            /** @description The id of the packet. */
            id: string;
            /** @description The id of the first receipt of the packet, reserved when the packet was accepted. */
            receipt_id: string;
            /** @description The media type of the raw data, as sent. */
            content_type: string | null;
            /** @description The size of the raw data in bytes. */
            size: number;
            metadata: components["schemas"]["PacketMetadata"];
            /** @description Whether the packet was marked as another copy of a receipt. */
            duplicate: boolean;
            /**
             * @description `accepted` until the packet is `converted` or the conversion has `failed`.
             * @enum {string}
             */
            status: "accepted" | "converted" | "failed";
            /** @description Why the conversion failed; `null` if it did not fail. */
            reason: ("no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed") | null;
            /** @description The errors of a failed conversion. */
            errors: components["schemas"]["PacketFault"][];
            /** @description When the packet arrived. */
            received_timestamp: string;
            /** @description When the packet last changed. */
            updated_timestamp: string;
            /** @description The number of attempts to convert the packet. */
            attempts: number;
            /** @description The mapping that was used last; `null` if none was chosen. */
            mapping: components["schemas"]["MappingVersion"] | null;
            /** @description The free-form properties sent with the data. */
            properties: {
                [key: string]: string;
            };
            /** @description The ids of all receipts of the packet. */
            receipt_ids: string[];
        };
        PostedEndpoint: {
            /**
             * Format: uri
             * @description The URL that receives events by POST. It must use https unless the installation allows http.
             * @example https://shop.example/hooks/receipts
             */
            url: string;
            /** @description Your own note about the endpoint. */
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
             * @description A query in the search language. Receipt events are sent only if their receipt matches it; other events are not filtered. An event that does not contain the receipt is matched against the receipt's current state. `receipt.deleted` is always sent.
             * @example +total:[100 TO *] -items.return:*
             */
            filter?: string | null;
            /**
             * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
             * @enum {string}
             */
            payload?: "thin" | "full";
            /**
             * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.
             * @enum {string}
             */
            ordering?: "none" | "subject";
            /** @description `false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`. */
            enabled?: boolean;
        };
        PostedMapping: {
            /** @description The id of the mapping, unique per retailer: letters, digits, `_`, `.` and `-`. */
            id: string;
            /** @description Your own note about the mapping. */
            description?: string;
            /** @description The packets to which the mapping applies. By default, it applies to all packets. */
            match?: components["schemas"]["MappingMatch"];
            /** @description How the raw data is decoded. */
            decode: {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "json";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "xml";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description Whether the names of elements keep their namespace prefixes. Defaults to `false`. */
                keep_prefixes?: boolean;
                /** @description Whether `doc` is the root element, and every element is an object with `name`, `attributes`, `text` (its own text, joined, with its spaces) and `children` in the order of the document. Defaults to `false`. */
                ordered?: boolean;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "csv";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The characters between two values. By default, the most frequent of comma, semicolon, tab and `|` in the first line. */
                delimiter?: string;
                /** @description The character that encloses values. Defaults to a double quote. */
                quote?: string;
                /** @description `true` if the first line contains the names of the columns, or a list of these names. If several columns have the same name, the second is called `name_2`, the third `name_3`. */
                header?: boolean | string[];
                /** @description The number of lines to skip at the beginning. */
                skip_lines?: number;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "text";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "escpos";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
                /**
                 * @description The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.
                 * @enum {string}
                 */
                printer?: "epson" | "star" | "bixolon" | "citizen" | "xprinter" | "pos-5890" | "hp" | "fujitsu" | "mpt" | "youku";
                /** @description The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`. */
                code_pages?: {
                    [key: string]: string;
                };
                /**
                 * @description The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.
                 * @enum {string}
                 */
                multibyte?: "shift_jis" | "gb18030" | "big5" | "euc-kr";
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "star";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
                /**
                 * @description The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.
                 * @enum {string}
                 */
                printer?: "epson" | "star" | "bixolon" | "citizen" | "xprinter" | "pos-5890" | "hp" | "fujitsu" | "mpt" | "youku";
                /** @description The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`. */
                code_pages?: {
                    [key: string]: string;
                };
                /**
                 * @description The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.
                 * @enum {string}
                 */
                multibyte?: "shift_jis" | "gb18030" | "big5" | "euc-kr";
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "opos";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "epos";
                /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                codepage?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
            } | {
                /**
                 * @description The format of the raw data.
                 * @constant
                 */
                type: "pdf";
                /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                split?: string;
                /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                columns?: number;
            };
            /** @description What is read from decoded lines. Only for line formats: text, ESC/POS, Star, OPOS, ePOS and PDF. */
            extract?: components["schemas"]["MappingExtract"];
            /** @description How the decoded data is converted to receipts. */
            transform: {
                /**
                 * @description The language of the expression.
                 * @constant
                 */
                language: "jsonata";
                /** @description The expression that converts the decoded data to a receipt, or to a list of receipts. */
                expression: string;
            };
            /** @description Members that are added to the receipt if the expression does not set them. */
            defaults?: {
                [key: string]: unknown;
            };
            /** @description The resources that a conversion may use. */
            limits?: components["schemas"]["MappingLimits"];
            /** @description Examples of raw data with the expected receipts. All must pass before the mapping is activated. */
            samples?: components["schemas"]["MappingSample"][];
        };
        PostedNotifications: {
            /** @description The e-mails: `daily_totals` after each day, with the totals per store; `silent_tills` if a till has stopped sending, and when it sends again, see the retailer setting `tills.silent_after_minutes`; `failed_packets` if raw receipts could not be converted; `disabled_webhooks` if the platform disabled a webhook endpoint; `failing_checks` if many receipts do not add up. Types for which the user has no permission have no effect. */
            types: ("daily_totals" | "silent_tills" | "failed_packets" | "disabled_webhooks" | "failing_checks")[];
            /** @description The stores that the e-mails are about, each a `reference` or an `external_reference`; `null` for all stores that the user may see. The user never gets figures of other stores. Defaults to `null`. */
            stores?: (number | string)[] | null;
            /** @description The share of the receipts of an hour, in percent, above which `failing_checks` is sent. At least three receipts must fail. Defaults to 5. */
            failing_checks_percent?: number;
            /**
             * @description The language of the e-mails. Defaults to that of the retailer.
             * @enum {string}
             */
            language?: "en" | "fr" | "de" | "es" | "it";
        };
        PostedReceipt: {
            /** @description Your own number for the sale, unique per retailer. */
            transaction_id: string;
            /**
             * @description When the sale took place, ISO 8601. Without an offset, or with `Z`, the time zone of `l10n`, of the store or of the retailer applies, in this order; any other offset, `+00:00` included, is kept.
             * @example 2024-05-17T14:03:22+02:00
             * @example 2024-05-17T14:03:22
             */
            localtime: string;
            /** @description The store of the sale: its `reference` or its `external_reference`. */
            store_reference: string | number;
            /** @description The total of the receipt, in its currency. */
            total: number;
            /** @description The items sold or returned, in the order in which they appear on the printed receipt. */
            items: ({
                /** @description The name of the item, as printed on the receipt. */
                name: string;
                /** @description The quantity, in units of `unit`. Negative for returned items. */
                quantity: number;
                /** @description The price of the whole quantity, in the currency of the receipt. */
                total: number;
                /** @description The GTIN of the article: 8, 12, 13 or 14 digits with a correct check digit. */
                gtin?: string | null;
                /** @description The batch or lot number of the article. */
                lot?: string | null;
                /** @description The serial number of the article. */
                serial?: string | null;
                /** @description The unit of `quantity`, such as `pcs` or `kg`. */
                unit?: string | null;
                /** @description The price of the whole quantity, excluding taxes. */
                net?: number | null;
                /** @description The price of the whole quantity, including taxes. */
                gross?: number | null;
                /** @description The price of one unit. */
                unit_price?: number | null;
                /** @description The price of one unit, including taxes. */
                gross_unit_price?: number | null;
                /** @description The price of one unit, excluding taxes. */
                net_unit_price?: number | null;
                /** @description The value-added tax on the item. Deprecated: use `taxes`. */
                vat?: {
                    /** @description The rate of the value-added tax in percent. */
                    rate: number;
                    /** @description The amount of the value-added tax, in the currency of the receipt. */
                    amount: number;
                    /** @description Your code for the value-added tax. */
                    code?: string | null;
                } | null;
                /** @description The taxes on the item. */
                taxes?: {
                    /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                    name: string;
                    /** @description The rate of the tax in percent. */
                    rate?: number | null;
                    /** @description The amount of the tax, in the currency of the receipt. */
                    amount: number;
                    /** @description Your code for the tax. */
                    code?: string | null;
                    /** @description Other data about the tax. Free-form. */
                    properties?: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description The discounts on the item. */
                discounts?: {
                    /** @description The name of the discount, as printed on the receipt. */
                    name: string;
                    /** @description The number of discounted units. */
                    quantity?: number | null;
                    /** @description The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted. */
                    amount: number;
                    /** @description The discount in percent. */
                    percentage?: number | null;
                    /** @description Other data about the discount. Free-form. */
                    properties?: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description The return of the item. Its presence marks a returned item. */
                return?: {
                    /**
                     * @description When the item was returned, ISO 8601.
                     * @example 2024-05-17T14:03:22+02:00
                     * @example 2024-05-17T14:03:22
                     */
                    localtime: string;
                    /** @description Why the item was returned. */
                    reason?: string | null;
                    /** @description Other data about the return. Free-form. */
                    properties?: {
                        [key: string]: unknown;
                    };
                } | null;
                /** @description Other data about the item. Free-form, except for the members listed here. */
                properties?: {
                    /** @description Further lines about the item, as one string or a list of strings. */
                    details?: string | string[];
                } & {
                    [key: string]: unknown;
                };
                /** @description Fields that you define. Those in the retailer setting `dynamic_fields.item` can be searched. */
                dynamic?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
            identifier?: string | null;
            /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
            external_id?: string | null;
            /** @description Whether this is another copy of a receipt. A copy receives its own `transaction_id` and counts neither in statistics nor in loyalty programmes. Defaults to `false`. */
            duplicate?: boolean;
            /** @description Whether parts of the receipt are missing. Defaults to `false`. */
            incomplete?: boolean;
            /** @description The id of the till that made the sale. */
            till_uuid?: string | null;
            /** @description The till’s own number of the receipt, which counts without gaps. See `GET /reports/gaps`. */
            till_sequence?: number | null;
            /** @description The total before discounts and taxes. */
            subtotal?: number | null;
            /** @description The total excluding taxes. */
            net?: number | null;
            /** @description The total including taxes. */
            gross?: number | null;
            /**
             * @deprecated
             * @description The value-added tax by rate. Deprecated: use `taxes`.
             */
            vat?: {
                /** @description The rate of the value-added tax in percent. */
                rate: number;
                /** @description The amount of the value-added tax, in the currency of the receipt. */
                amount: number;
                /** @description Your code for the value-added tax. */
                code?: string | null;
            }[];
            /** @description The taxes on the whole receipt. */
            taxes?: {
                /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                name: string;
                /** @description The rate of the tax in percent. */
                rate?: number | null;
                /** @description The amount of the tax, in the currency of the receipt. */
                amount: number;
                /** @description Your code for the tax. */
                code?: string | null;
                /** @description Other data about the tax. Free-form. */
                properties?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The discounts on the whole receipt. */
            discounts?: {
                /** @description The name of the discount, as printed on the receipt. */
                name: string;
                /** @description The number of discounted units. */
                quantity?: number | null;
                /** @description The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted. */
                amount: number;
                /** @description The discount in percent. */
                percentage?: number | null;
                /** @description Other data about the discount. Free-form. */
                properties?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description Charges on the whole receipt that are not items: service, delivery, deposits or rounding. */
            charges?: {
                /** @description The name of the charge, as printed on the receipt. */
                name: string;
                /** @description The amount of the charge, in the currency of the receipt. It counts towards the total. */
                amount: number;
                /** @description The taxes on the charge. */
                taxes?: {
                    /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                    name: string;
                    /** @description The rate of the tax in percent. */
                    rate?: number | null;
                    /** @description The amount of the tax, in the currency of the receipt. */
                    amount: number;
                    /** @description Your code for the tax. */
                    code?: string | null;
                    /** @description Other data about the tax. Free-form. */
                    properties?: {
                        [key: string]: unknown;
                    };
                }[];
            }[];
            /** @description How the receipt was paid, one entry per payment. */
            payments?: {
                /** @description The payment method, such as `card`, `cash` or `giftcard`. */
                method: string;
                /** @description The amount paid with this method, in the currency of the payment. */
                amount: number;
                /** @description The currency of the payment, an ISO 4217 code. Defaults to the currency of the receipt. */
                currency?: ("AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL") | null;
                /** @description How much of `amount` is a tip, which does not count towards the total of the receipt. */
                tip?: number | null;
                /** @description The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by `method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit and direct debit. Pages, PDFs and messages show only the last four characters. */
                number?: string | null;
                /** @description The type of the card, such as `VISA`. */
                type?: string | null;
                /** @description The issue number of the card. */
                issue?: string | null;
                /** @description The date from which the card is valid. */
                start?: string | null;
                /** @description The date until which the card is valid. */
                end?: string | null;
                /** @description The number of the purchase order. */
                po_number?: string | null;
                /** @description The change given to the customer. */
                change?: number | null;
                /** @description The amount by which a cash payment was rounded. */
                rounding?: number | null;
                /** @description The date on which the gift card expires. */
                expiry?: string | null;
                /** @description The balance left on the gift card. */
                balance?: number | null;
                /** @description The brand of the card, such as `Visa`. */
                brand?: string | null;
                /** @description How the card was read. */
                entry_mode?: ("chip" | "contactless" | "swipe" | "keyed" | "ecommerce") | null;
                /** @description The code with which the issuer approved the payment. */
                authorization_code?: string | null;
                /** @description The id of the payment terminal. */
                terminal_id?: string | null;
                /** @description The id of the merchant with the acquirer. */
                merchant_id?: string | null;
                /** @description The application identifier (AID) of the card: 10 to 32 hexadecimal digits. */
                aid?: string | null;
                /** @description The cryptogram of the payment (ARQC or TC). */
                arqc?: string | null;
                /** @description How the cardholder was verified; `device` means on their own device. */
                cvm?: ("pin" | "signature" | "device" | "none") | null;
                /** @description The retrieval reference number of the payment. */
                rrn?: string | null;
                /** @description The fields of the payment method. They may be given here or next to `method`. */
                details?: {
                    /** @description The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by `method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit and direct debit. Pages, PDFs and messages show only the last four characters. */
                    number?: string | null;
                    /** @description The type of the card, such as `VISA`. */
                    type?: string | null;
                    /** @description The issue number of the card. */
                    issue?: string | null;
                    /** @description The date from which the card is valid. */
                    start?: string | null;
                    /** @description The date until which the card is valid. */
                    end?: string | null;
                    /** @description The number of the purchase order. */
                    po_number?: string | null;
                    /** @description The change given to the customer. */
                    change?: number | null;
                    /** @description The amount by which a cash payment was rounded. */
                    rounding?: number | null;
                    /** @description The date on which the gift card expires. */
                    expiry?: string | null;
                    /** @description The balance left on the gift card. */
                    balance?: number | null;
                    /** @description The brand of the card, such as `Visa`. */
                    brand?: string | null;
                    /** @description How the card was read. */
                    entry_mode?: ("chip" | "contactless" | "swipe" | "keyed" | "ecommerce") | null;
                    /** @description The code with which the issuer approved the payment. */
                    authorization_code?: string | null;
                    /** @description The id of the payment terminal. */
                    terminal_id?: string | null;
                    /** @description The id of the merchant with the acquirer. */
                    merchant_id?: string | null;
                    /** @description The application identifier (AID) of the card: 10 to 32 hexadecimal digits. */
                    aid?: string | null;
                    /** @description The cryptogram of the payment (ARQC or TC). */
                    arqc?: string | null;
                    /** @description How the cardholder was verified; `device` means on their own device. */
                    cvm?: ("pin" | "signature" | "device" | "none") | null;
                    /** @description The retrieval reference number of the payment. */
                    rrn?: string | null;
                };
            }[];
            /** @description Language, time zone and currency of the receipt. Missing values are taken from the store, then from the retailer. */
            l10n?: {
                /** @description The language and region of the receipt, such as `en_GB`. */
                locale?: string | null;
                /** @description The language in which translated item names are shown, such as `de_AT`. */
                translation_locale?: string | null;
                /** @description The time zone of the receipt, an IANA name such as `Europe/Paris`. */
                timezone?: string | null;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency?: ("AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL") | null;
            };
            /** @description The store, which is created or updated. Rejected unless the retailer setting `stores.from_receipt` is on. */
            store?: components["schemas"]["PostedStore"];
            /** @description What the fiscal device of the till has signed. */
            fiscal?: {
                /**
                 * @description The law under which the receipt was signed.
                 * @enum {string}
                 */
                regime: "de-tse" | "at-rksv" | "es-verifactu" | "es-ticketbai" | "pt" | "se" | "it" | "fr" | "hu" | "other";
                /** @description The id of the fiscal device. */
                device_id?: string | null;
                /** @description The number that the fiscal device gave the transaction. */
                number?: string | null;
                /** @description The number of signatures of the fiscal device so far. */
                counter?: number | null;
                /** @description When the transaction started, ISO 8601 with an offset. */
                started?: string | null;
                /** @description When the transaction ended, ISO 8601 with an offset. */
                finished?: string | null;
                /** @description The signature of the fiscal device. */
                signature?: string | null;
                /** @description The certificate or public key of the device: DER in base64. */
                certificate?: string | null;
                /** @description The exact content of the code that the law requires. */
                qr?: string | null;
                /** @description Further lines that the law requires on the receipt. */
                texts?: string[];
            } | null;
            /** @description The receipts that this one returns, exchanges or corrects. */
            related?: {
                /**
                 * @description How this receipt relates to the other receipt.
                 * @enum {string}
                 */
                type: "return" | "exchange" | "correction";
                /** @description The id of the other receipt. Exactly one of `id` and `transaction_id` must be given. */
                id?: string | null;
                /** @description The transaction id of the other receipt; needed if `id` is not given. */
                transaction_id?: string | null;
            }[];
            /** @description Files that belong to the receipt, by label. At most 20 files, and 1 MiB of inline data in all. */
            attachments?: {
                [key: string]: {
                    /** @description The id of an attachment that `POST /attachments` has stored. Cannot be combined with `data`. */
                    id?: string;
                    /** @description The content of the attachment in base64. Cannot be combined with `id`. */
                    data?: string;
                    /** @description The media type of `data`. Defaults to `application/octet-stream`. */
                    content_type?: string;
                    /** @description A Content-Disposition header, which gives `data` a file name. */
                    content_disposition?: string;
                } & (unknown | unknown);
            };
            properties?: components["schemas"]["ReceiptProperties"];
            /** @description Fields that you define. Those in the retailer setting `dynamic_fields.receipt` can be searched. */
            dynamic?: {
                [key: string]: unknown;
            };
            /** @description A link from `POST /receipts/_link`. Its page then shows this receipt. A link can be used once and is not returned. */
            link?: string | null;
        };
        PostedStore: {
            /** @description The number of the store, unique per retailer. If it is missing, the next free number is assigned. */
            reference?: number | null;
            /** @description Your own name for the store, unique per retailer. Receipts may use it to identify the store. */
            external_reference?: string | null;
            /** @description The name of the store, shown on receipts. */
            name: string;
            /** @description The lines of the street address. */
            address?: string[] | null;
            /** @description The city of the store. */
            city?: string | null;
            /** @description The postcode of the store. */
            postcode?: string | null;
            /**
             * @description The country, an ISO 3166-1 alpha-3 code such as `FRA`.
             * @example FRA
             */
            country: string;
            /** @description The phone number of the store. */
            phone?: string | null;
            /** @description The VAT number of the store’s legal entity, shown instead of the retailer’s. */
            vatno?: string | null;
            /** @description The name of the store’s legal entity, shown instead of the retailer’s. */
            company?: string | null;
            /** @description The language and region of receipts of this store. Defaults to that of the retailer. */
            locale?: string | null;
            /** @description The time zone of the store, an IANA name. Defaults to that of the retailer. */
            timezone?: string | null;
            /** @description The currency of receipts of this store, an ISO 4217 code. Defaults to that of the retailer. */
            currency?: ("AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL") | null;
            /** @description Other data about the store. Free-form. */
            properties?: unknown;
            /** @description Settings of your own systems for this store. Free-form, except for `opening_hours`: `{"mon": ["08:00-12:30", "14:00-20:00"], …}`, with the days `mon` to `sun` and times in the time zone of the store. A range such as `18:00-02:00` ends on the following day, and a day that is missing is one on which the store is closed. Tills count as silent only within these hours. */
            settings?: unknown;
        };
        /** @description Links to renderings of the receipt. They need no credential. */
        ReceiptLinks: {
            /** @description The receipt as a web page for the consumer. */
            webview: {
                /** @description The URL of the page. */
                href: string;
                /** @description A QR code that links to the page, as PNG or SVG. */
                qrcode: {
                    /** @description The URL of the QR code. */
                    href: string;
                };
            };
            /** @description The receipt as a PDF. */
            pdf: {
                /** @description The URL of the PDF. */
                href: string;
            };
        };
        /** @description Other data about the receipt. Free-form, except for the members listed here. */
        ReceiptProperties: {
            /** @description The e-mail address to which the receipt is sent. */
            email?: string | null;
            /** @description Whether this receipt is sent by e-mail on arrival. */
            email_settings?: {
                /** @description Whether to send the receipt by e-mail. Defaults to the retailer setting `auto_send`. */
                send?: boolean;
                /** @description The name of an e-mail template. It is stored but has no effect. */
                template?: string;
                /** @description Whether to always suppress the e-mail. */
                block?: boolean;
            };
            /** @description The messaging channels over which this receipt is sent on arrival. */
            messaging_settings?: {
                /** @description Settings for sending this receipt by SMS. */
                sms?: {
                    /** @description Whether to send the receipt by SMS. Defaults to `false`. */
                    send?: boolean;
                };
                /** @description Settings for sending this receipt over WhatsApp. */
                whatsapp?: {
                    /** @description Whether to send the receipt over WhatsApp. Defaults to `false`. */
                    send?: boolean;
                };
            };
        } & {
            [key: string]: unknown;
        };
        /**
         * Format: date-time
         * @description The time up to which all receipts are included.
         */
        ReportTime: string;
        /**
         * @description The settings of the retailer. Missing settings take their defaults.
         * @default {}
         */
        RetailerSettings: {
            /**
             * @description The time zone used for stores that do not set one, an IANA name such as `Europe/Paris`.
             * @default UTC
             * @example Europe/Paris
             */
            timezone?: string;
            /**
             * @description The currency used for stores that do not set one, an ISO 4217 code such as `EUR`.
             * @default EUR
             * @example EUR
             * @enum {string}
             */
            currency?: "AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL";
            /**
             * @description The language and region used for stores that do not set them, such as `en_GB`.
             * @default en_GB
             */
            locale?: string;
            /**
             * @description Whether the response to `POST /receipts` contains `_links`.
             * @default false
             */
            response_links?: boolean;
            /**
             * @description How the stores in receipts are handled.
             * @default {}
             */
            stores?: {
                /**
                 * @description Whether receipts may create and update stores through their `store` field.
                 * @default false
                 */
                from_receipt?: boolean;
                /**
                 * @description Whether receipts from unknown stores are rejected.
                 * @default false
                 */
                require_known?: boolean;
            };
            /**
             * @description The channels over which receipts can be sent.
             * @default {}
             */
            channels?: {
                /**
                 * @description Settings for sending receipts by e-mail.
                 * @default {}
                 */
                email?: {
                    /**
                     * @description Whether receipts can be sent by e-mail.
                     * @default true
                     */
                    enabled?: boolean;
                    /**
                     * @description The sender of e-mails; `null` uses the sender of the installation.
                     * @default null
                     */
                    from?: string | null;
                    /**
                     * @description The address to which replies are sent; `null` uses the sender.
                     * @default null
                     */
                    reply_to?: string | null;
                    /**
                     * @description Whether e-mails contain the receipt as a PDF.
                     * @default true
                     */
                    attach_pdf?: boolean;
                };
                /**
                 * @description Settings for sending receipts by SMS.
                 * @default {}
                 */
                sms?: {
                    /**
                     * @description Whether receipts can be sent by SMS.
                     * @default false
                     */
                    enabled?: boolean;
                    /**
                     * @description The name of the messaging provider account, as set in the configuration; `null` uses the first account of this channel.
                     * @default null
                     */
                    account?: string | null;
                    /**
                     * @description The sender: for SMS, a number, a name or a messaging service; for WhatsApp, the id of a number. `null` uses the sender of the account.
                     * @default null
                     */
                    from?: string | null;
                };
                /**
                 * @description Settings for sending receipts over WhatsApp.
                 * @default {}
                 */
                whatsapp?: {
                    /**
                     * @description Whether receipts can be sent over WhatsApp.
                     * @default false
                     */
                    enabled?: boolean;
                    /**
                     * @description The name of the messaging provider account, as set in the configuration; `null` uses the first account of this channel.
                     * @default null
                     */
                    account?: string | null;
                    /**
                     * @description The sender: for SMS, a number, a name or a messaging service; for WhatsApp, the id of a number. `null` uses the sender of the account.
                     * @default null
                     */
                    from?: string | null;
                };
            };
            /**
             * @description Whether receipts with an e-mail address are sent on arrival. A receipt can override this with `properties.email_settings.send`.
             * @default false
             */
            auto_send?: boolean;
            /**
             * @description How receipts are checked for consistency.
             * @default {}
             */
            checks?: {
                /**
                 * @description Whether `receipt.check_failed` is published for receipts that do not add up.
                 * @default false
                 */
                event?: boolean;
            };
            /**
             * @description How tills are monitored.
             * @default {}
             */
            tills?: {
                /**
                 * @description The number of minutes without receipts or raw data after which `till.silent` is published for a till; only minutes within the opening hours of its store count, if it has them. `null` turns the event off.
                 * @default null
                 */
                silent_after_minutes?: number | null;
            };
            /**
             * @description The web pages of other origins that may call the API.
             * @default {}
             */
            cors?: {
                /**
                 * @description The origins, such as `https://shop.example`, whose pages may read and send receipts with URL signatures.
                 * @default []
                 */
                origins?: string[];
            };
            /**
             * @description The groups to which portal users can belong.
             * @default []
             */
            portal_groups?: string[];
            /**
             * @description The permissions of portal users, by group. Users of other groups, or without a group, can search and read receipts.
             * @default {}
             */
            portal_permissions?: {
                [key: string]: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
            };
            /**
             * @description How portal users sign in.
             * @default {}
             */
            portal_sign_in?: {
                /**
                 * @description The OpenID Connect provider with which portal users can sign in, one of those in the configuration of the installation; `null` for passwords alone.
                 * @default null
                 */
                identity_provider?: string | null;
            };
            /**
             * @description The stores that portal users may see, by group: a list of references; `null` or missing for all stores. A user with stores of its own sees those that both lists contain, so name a store in the same way in both.
             * @default {}
             */
            portal_stores?: {
                [key: string]: (number | string)[] | null;
            };
            /**
             * @description How loyalty cards are verified.
             * @default {}
             */
            cards?: {
                /**
                 * @description Whether cards can be verified with `POST /cards`.
                 * @default false
                 */
                enabled?: boolean;
                /**
                 * @description How card numbers are checked: `luhn` checks their last digit.
                 * @default none
                 * @enum {string}
                 */
                check?: "none" | "luhn";
            };
            /**
             * @description The loyalty programmes of the retailer.
             * @default []
             */
            loyalty?: {
                /** @description The id of the programme, unique per retailer. */
                id: number;
                /** @description The name of the programme. */
                name: string;
                /** @description When a reward is issued: whenever a consumer's receipt total reaches a multiple of `spend`. */
                rule: {
                    /** @description The amount that a consumer must spend to earn one reward. */
                    spend: number;
                    /** @description The value of one reward. */
                    value: number;
                    /** @description The name shown on rewards, such as `5 off`. */
                    name: string;
                };
            }[];
            /**
             * @description Your own fields by which receipts can be searched.
             * @default {}
             */
            dynamic_fields?: {
                /**
                 * @description The searchable fields in `dynamic` of receipts, with their types.
                 * @default {}
                 */
                receipt?: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
                /**
                 * @description The searchable fields in `dynamic` of items, with their types.
                 * @default {}
                 */
                item?: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
            };
            /**
             * @description How the conditions of a search are combined if they have neither `+` nor `-`.
             * @default or
             * @enum {string}
             */
            search_default_operator?: "or" | "and";
            /** @description The appearance of receipts. */
            brand?: components["schemas"]["BrandSettings"];
            /**
             * @description The number of days after their arrival after which receipts, raw receipts and attachments are deleted; `null` keeps them forever.
             * @default null
             */
            retention_days?: number | null;
            /**
             * @description The number of days for which events are kept for `GET /events` and webhooks.
             * @default 30
             */
            event_days?: number;
            /**
             * @description The names of members of `properties` that contain personal data. Erasing a consumer removes them from the receipts.
             * @default []
             */
            personal_properties?: string[];
        };
        /** @description The settings of the retailer. Missing settings take their defaults. */
        RetailerSettingsAnswer: {
            /**
             * @description The time zone used for stores that do not set one, an IANA name such as `Europe/Paris`.
             * @default UTC
             * @example Europe/Paris
             */
            timezone: string;
            /**
             * @description The currency used for stores that do not set one, an ISO 4217 code such as `EUR`.
             * @default EUR
             * @example EUR
             * @enum {string}
             */
            currency: "AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XCD" | "XCG" | "XDR" | "XOF" | "XPD" | "XPF" | "XPT" | "XSU" | "XTS" | "XUA" | "XXX" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL";
            /**
             * @description The language and region used for stores that do not set them, such as `en_GB`.
             * @default en_GB
             */
            locale: string;
            /**
             * @description Whether the response to `POST /receipts` contains `_links`.
             * @default false
             */
            response_links: boolean;
            /** @description How the stores in receipts are handled. */
            stores: {
                /**
                 * @description Whether receipts may create and update stores through their `store` field.
                 * @default false
                 */
                from_receipt: boolean;
                /**
                 * @description Whether receipts from unknown stores are rejected.
                 * @default false
                 */
                require_known: boolean;
            };
            /** @description The channels over which receipts can be sent. */
            channels: {
                /** @description Settings for sending receipts by e-mail. */
                email: {
                    /**
                     * @description Whether receipts can be sent by e-mail.
                     * @default true
                     */
                    enabled: boolean;
                    /**
                     * @description The sender of e-mails; `null` uses the sender of the installation.
                     * @default null
                     */
                    from: string | null;
                    /**
                     * @description The address to which replies are sent; `null` uses the sender.
                     * @default null
                     */
                    reply_to: string | null;
                    /**
                     * @description Whether e-mails contain the receipt as a PDF.
                     * @default true
                     */
                    attach_pdf: boolean;
                };
                /** @description Settings for sending receipts by SMS. */
                sms: {
                    /**
                     * @description Whether receipts can be sent by SMS.
                     * @default false
                     */
                    enabled: boolean;
                    /**
                     * @description The name of the messaging provider account, as set in the configuration; `null` uses the first account of this channel.
                     * @default null
                     */
                    account: string | null;
                    /**
                     * @description The sender: for SMS, a number, a name or a messaging service; for WhatsApp, the id of a number. `null` uses the sender of the account.
                     * @default null
                     */
                    from: string | null;
                };
                /** @description Settings for sending receipts over WhatsApp. */
                whatsapp: {
                    /**
                     * @description Whether receipts can be sent over WhatsApp.
                     * @default false
                     */
                    enabled: boolean;
                    /**
                     * @description The name of the messaging provider account, as set in the configuration; `null` uses the first account of this channel.
                     * @default null
                     */
                    account: string | null;
                    /**
                     * @description The sender: for SMS, a number, a name or a messaging service; for WhatsApp, the id of a number. `null` uses the sender of the account.
                     * @default null
                     */
                    from: string | null;
                };
            };
            /**
             * @description Whether receipts with an e-mail address are sent on arrival. A receipt can override this with `properties.email_settings.send`.
             * @default false
             */
            auto_send: boolean;
            /** @description How receipts are checked for consistency. */
            checks: {
                /**
                 * @description Whether `receipt.check_failed` is published for receipts that do not add up.
                 * @default false
                 */
                event: boolean;
            };
            /** @description How tills are monitored. */
            tills: {
                /**
                 * @description The number of minutes without receipts or raw data after which `till.silent` is published for a till; only minutes within the opening hours of its store count, if it has them. `null` turns the event off.
                 * @default null
                 */
                silent_after_minutes: number | null;
            };
            /** @description The web pages of other origins that may call the API. */
            cors: {
                /**
                 * @description The origins, such as `https://shop.example`, whose pages may read and send receipts with URL signatures.
                 * @default []
                 */
                origins: string[];
            };
            /**
             * @description The groups to which portal users can belong.
             * @default []
             */
            portal_groups: string[];
            /**
             * @description The permissions of portal users, by group. Users of other groups, or without a group, can search and read receipts.
             * @default {}
             */
            portal_permissions: {
                [key: string]: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
            };
            /** @description How portal users sign in. */
            portal_sign_in: {
                /**
                 * @description The OpenID Connect provider with which portal users can sign in, one of those in the configuration of the installation; `null` for passwords alone.
                 * @default null
                 */
                identity_provider: string | null;
            };
            /**
             * @description The stores that portal users may see, by group: a list of references; `null` or missing for all stores. A user with stores of its own sees those that both lists contain, so name a store in the same way in both.
             * @default {}
             */
            portal_stores: {
                [key: string]: (number | string)[] | null;
            };
            /** @description How loyalty cards are verified. */
            cards: {
                /**
                 * @description Whether cards can be verified with `POST /cards`.
                 * @default false
                 */
                enabled: boolean;
                /**
                 * @description How card numbers are checked: `luhn` checks their last digit.
                 * @default none
                 * @enum {string}
                 */
                check: "none" | "luhn";
            };
            /**
             * @description The loyalty programmes of the retailer.
             * @default []
             */
            loyalty: {
                /** @description The id of the programme, unique per retailer. */
                id: number;
                /** @description The name of the programme. */
                name: string;
                /** @description When a reward is issued: whenever a consumer's receipt total reaches a multiple of `spend`. */
                rule: {
                    /** @description The amount that a consumer must spend to earn one reward. */
                    spend: number;
                    /** @description The value of one reward. */
                    value: number;
                    /** @description The name shown on rewards, such as `5 off`. */
                    name: string;
                };
            }[];
            /** @description Your own fields by which receipts can be searched. */
            dynamic_fields: {
                /**
                 * @description The searchable fields in `dynamic` of receipts, with their types.
                 * @default {}
                 */
                receipt: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
                /**
                 * @description The searchable fields in `dynamic` of items, with their types.
                 * @default {}
                 */
                item: {
                    [key: string]: "exact" | "partial" | "integer" | "float" | "date";
                };
            };
            /**
             * @description How the conditions of a search are combined if they have neither `+` nor `-`.
             * @default or
             * @enum {string}
             */
            search_default_operator: "or" | "and";
            /** @description The appearance of receipts. */
            brand: components["schemas"]["BrandSettingsAnswer"];
            /**
             * @description The number of days after their arrival after which receipts, raw receipts and attachments are deleted; `null` keeps them forever.
             * @default null
             */
            retention_days: number | null;
            /**
             * @description The number of days for which events are kept for `GET /events` and webhooks.
             * @default 30
             */
            event_days: number;
            /**
             * @description The names of members of `properties` that contain personal data. Erasing a consumer removes them from the receipts.
             * @default []
             */
            personal_properties: string[];
        };
        ReturnedReceipt: {
            /** @description The id of the receipt: 24 hexadecimal digits. */
            id: string;
            /** @description Your own number for the sale, unique per retailer. */
            transaction_id: string;
            /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
            external_id: string | null;
            /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
            identifier: string | null;
            /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
            duplicate: boolean;
            /** @description Whether parts of the receipt are missing. */
            incomplete: boolean;
            /** @description When and why the receipt was voided; `null` if it was not. A voided receipt is excluded from summaries, totals and loyalty programmes. */
            voided: {
                /** @description When the receipt was voided, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description Why the receipt was voided. */
                reason: string | null;
                /** @description Your own number for the void. */
                transaction_id: string | null;
            } | null;
            /** @description When the sale took place, in local time with its offset from UTC, ISO 8601. */
            localtime: string;
            /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
            timestamp: string;
            /** @description The reference of the store, as posted. */
            store_reference: string;
            /** @description The store as it was when the receipt arrived. Its members are `null` or empty if the store was unknown. */
            store: {
                /** @description The name of the store, shown on receipts. */
                name: string | null;
                /** @description The lines of the street address. */
                address: string[];
                /** @description The city of the store. */
                city: string | null;
                /** @description The postcode of the store. */
                postcode: string | null;
                /** @description The country, an ISO 3166-1 alpha-3 code such as `FRA`. */
                country: string | null;
                /** @description The phone number of the store. */
                phone: string | null;
                /** @description The VAT number of the store’s legal entity, shown instead of the retailer’s. */
                vatno: string | null;
                /** @description The name of the store’s legal entity, shown instead of the retailer’s. */
                company: string | null;
                /** @description Other data about the store. Free-form. */
                properties: unknown;
            };
            /** @description The retailer as it was when the receipt arrived. */
            retailer: {
                /** @description The name of the retailer. */
                name: string;
                /** @description The VAT number of the retailer. */
                vatno: string | null;
            };
            /** @description The total of the receipt, in its currency. */
            total: number;
            /** @description The id of the till that made the sale. */
            till_uuid: string | null;
            /** @description The till’s own number of the receipt, which counts without gaps. See `GET /reports/gaps`. */
            till_sequence: number | null;
            /** @description The total before discounts and taxes. */
            subtotal: number | null;
            /** @description The total excluding taxes. */
            net: number | null;
            /** @description The total including taxes. */
            gross: number | null;
            /**
             * @deprecated
             * @description The value-added tax by rate. Deprecated: use `taxes`.
             */
            vat: {
                /** @description The rate of the value-added tax in percent. */
                rate: number;
                /** @description The amount of the value-added tax, in the currency of the receipt. */
                amount: number;
                /** @description Your code for the value-added tax. */
                code: string | null;
            }[];
            /** @description The taxes on the whole receipt. */
            taxes: {
                /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                name: string;
                /** @description The rate of the tax in percent. */
                rate: number | null;
                /** @description The amount of the tax, in the currency of the receipt. */
                amount: number;
                /** @description Your code for the tax. */
                code: string | null;
                /** @description Other data about the tax. Free-form. */
                properties: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The discounts on the whole receipt. */
            discounts: {
                /** @description The name of the discount, as printed on the receipt. */
                name: string;
                /** @description The number of discounted units. */
                quantity: number | null;
                /** @description The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted. */
                amount: number;
                /** @description The discount in percent. */
                percentage: number | null;
                /** @description Other data about the discount. Free-form. */
                properties: {
                    [key: string]: unknown;
                };
            }[];
            /** @description Charges on the whole receipt that are not items: service, delivery, deposits or rounding. */
            charges: {
                /** @description The name of the charge, as printed on the receipt. */
                name: string;
                /** @description The amount of the charge, in the currency of the receipt. It counts towards the total. */
                amount: number;
                /** @description The taxes on the charge. */
                taxes: {
                    /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                    name: string;
                    /** @description The rate of the tax in percent. */
                    rate: number | null;
                    /** @description The amount of the tax, in the currency of the receipt. */
                    amount: number;
                    /** @description Your code for the tax. */
                    code: string | null;
                    /** @description Other data about the tax. Free-form. */
                    properties: {
                        [key: string]: unknown;
                    };
                }[];
            }[];
            /** @description The items sold or returned, in the order in which they appear on the printed receipt. */
            items: ({
                /** @description The name of the item, as printed on the receipt. */
                name: string;
                /** @description The quantity, in units of `unit`. Negative for returned items. */
                quantity: number;
                /** @description The GTIN of the article: 8, 12, 13 or 14 digits with a correct check digit. */
                gtin: string | null;
                /** @description The batch or lot number of the article. */
                lot: string | null;
                /** @description The serial number of the article. */
                serial: string | null;
                /** @description The unit of `quantity`, such as `pcs` or `kg`. */
                unit: string | null;
                /** @description The price of the whole quantity, in the currency of the receipt. */
                total: number;
                /** @description The price of the whole quantity, excluding taxes. */
                net: number | null;
                /** @description The price of the whole quantity, including taxes. */
                gross: number | null;
                /** @description The price of one unit. */
                unit_price: number | null;
                /** @description The price of one unit, including taxes. */
                gross_unit_price: number | null;
                /** @description The price of one unit, excluding taxes. */
                net_unit_price: number | null;
                /** @description The value-added tax on the item. Deprecated: use `taxes`. */
                vat: {
                    /** @description The rate of the value-added tax in percent. */
                    rate: number;
                    /** @description The amount of the value-added tax, in the currency of the receipt. */
                    amount: number;
                    /** @description Your code for the value-added tax. */
                    code: string | null;
                } | null;
                /** @description The taxes on the item. */
                taxes: {
                    /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                    name: string;
                    /** @description The rate of the tax in percent. */
                    rate: number | null;
                    /** @description The amount of the tax, in the currency of the receipt. */
                    amount: number;
                    /** @description Your code for the tax. */
                    code: string | null;
                    /** @description Other data about the tax. Free-form. */
                    properties: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description The discounts on the item. */
                discounts: {
                    /** @description The name of the discount, as printed on the receipt. */
                    name: string;
                    /** @description The number of discounted units. */
                    quantity: number | null;
                    /** @description The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted. */
                    amount: number;
                    /** @description The discount in percent. */
                    percentage: number | null;
                    /** @description Other data about the discount. Free-form. */
                    properties: {
                        [key: string]: unknown;
                    };
                }[];
                /** @description The return of the item. Its presence marks a returned item. */
                return: {
                    /** @description When the item was returned, ISO 8601. */
                    localtime: string;
                    /** @description Why the item was returned. */
                    reason: string | null;
                    /** @description Other data about the return. Free-form. */
                    properties: {
                        [key: string]: unknown;
                    };
                } | null;
                /** @description Other data about the item. Free-form, except for the members listed here. */
                properties: {
                    [key: string]: unknown;
                };
                /** @description Fields that you define. Those in the retailer setting `dynamic_fields.item` can be searched. */
                dynamic: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            /** @description How the receipt was paid, one entry per payment. */
            payments: {
                /** @description The payment method, such as `card`, `cash` or `giftcard`. */
                method: string;
                /** @description The amount paid with this method, in the currency of the payment. */
                amount: number;
                /** @description The currency of the payment, an ISO 4217 code. Defaults to the currency of the receipt. */
                currency: string | null;
                /** @description How much of `amount` is a tip, which does not count towards the total of the receipt. */
                tip: number | null;
                /** @description The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by `method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit and direct debit. Pages, PDFs and messages show only the last four characters. */
                number?: string | null;
                /** @description The type of the card, such as `VISA`. */
                type?: string | null;
                /** @description The issue number of the card. */
                issue?: string | null;
                /** @description The date from which the card is valid. */
                start?: string | null;
                /** @description The date until which the card is valid. */
                end?: string | null;
                /** @description The number of the purchase order. */
                po_number?: string | null;
                /** @description The change given to the customer. */
                change?: number | null;
                /** @description The amount by which a cash payment was rounded. */
                rounding?: number | null;
                /** @description The date on which the gift card expires. */
                expiry?: string | null;
                /** @description The balance left on the gift card. */
                balance?: number | null;
                /** @description The brand of the card, such as `Visa`. */
                brand?: string | null;
                /** @description How the card was read. */
                entry_mode?: string | null;
                /** @description The code with which the issuer approved the payment. */
                authorization_code?: string | null;
                /** @description The id of the payment terminal. */
                terminal_id?: string | null;
                /** @description The id of the merchant with the acquirer. */
                merchant_id?: string | null;
                /** @description The application identifier (AID) of the card: 10 to 32 hexadecimal digits. */
                aid?: string | null;
                /** @description The cryptogram of the payment (ARQC or TC). */
                arqc?: string | null;
                /** @description How the cardholder was verified; `device` means on their own device. */
                cvm?: string | null;
                /** @description The retrieval reference number of the payment. */
                rrn?: string | null;
                /** @description The fields of the payment method. They may be given here or next to `method`. */
                details?: {
                    /** @description The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by `method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit and direct debit. Pages, PDFs and messages show only the last four characters. */
                    number?: string | null;
                    /** @description The type of the card, such as `VISA`. */
                    type?: string | null;
                    /** @description The issue number of the card. */
                    issue?: string | null;
                    /** @description The date from which the card is valid. */
                    start?: string | null;
                    /** @description The date until which the card is valid. */
                    end?: string | null;
                    /** @description The number of the purchase order. */
                    po_number?: string | null;
                    /** @description The change given to the customer. */
                    change?: number | null;
                    /** @description The amount by which a cash payment was rounded. */
                    rounding?: number | null;
                    /** @description The date on which the gift card expires. */
                    expiry?: string | null;
                    /** @description The balance left on the gift card. */
                    balance?: number | null;
                    /** @description The brand of the card, such as `Visa`. */
                    brand?: string | null;
                    /** @description How the card was read. */
                    entry_mode?: string | null;
                    /** @description The code with which the issuer approved the payment. */
                    authorization_code?: string | null;
                    /** @description The id of the payment terminal. */
                    terminal_id?: string | null;
                    /** @description The id of the merchant with the acquirer. */
                    merchant_id?: string | null;
                    /** @description The application identifier (AID) of the card: 10 to 32 hexadecimal digits. */
                    aid?: string | null;
                    /** @description The cryptogram of the payment (ARQC or TC). */
                    arqc?: string | null;
                    /** @description How the cardholder was verified; `device` means on their own device. */
                    cvm?: string | null;
                    /** @description The retrieval reference number of the payment. */
                    rrn?: string | null;
                };
            }[];
            /** @description Language, time zone and currency of the receipt, with missing values filled in. */
            l10n: {
                /** @description The language and region of the receipt, such as `en_GB`. */
                locale: string;
                /** @description The language in which translated item names are shown, such as `de_AT`. */
                translation_locale: string | null;
                /** @description The time zone of the receipt, an IANA name such as `Europe/Paris`. */
                timezone: string;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
            };
            /** @description What the fiscal device of the till has signed. */
            fiscal: {
                /**
                 * @description The law under which the receipt was signed.
                 * @enum {string}
                 */
                regime: "de-tse" | "at-rksv" | "es-verifactu" | "es-ticketbai" | "pt" | "se" | "it" | "fr" | "hu" | "other";
                /** @description The id of the fiscal device. */
                device_id: string | null;
                /** @description The number that the fiscal device gave the transaction. */
                number: string | null;
                /** @description The number of signatures of the fiscal device so far. */
                counter: number | null;
                /** @description When the transaction started, ISO 8601 with an offset. */
                started: string | null;
                /** @description When the transaction ended, ISO 8601 with an offset. */
                finished: string | null;
                /** @description The signature of the fiscal device. */
                signature: string | null;
                /** @description The certificate or public key of the device: DER in base64. */
                certificate: string | null;
                /** @description The exact content of the code that the law requires. */
                qr: string | null;
                /** @description Further lines that the law requires on the receipt. */
                texts: string[];
            } | null;
            /** @description The receipts that this one returns, exchanges or corrects. */
            related: {
                /**
                 * @description How this receipt relates to the other receipt.
                 * @enum {string}
                 */
                type: "return" | "exchange" | "correction";
                /** @description The id of the other receipt; `null` until it is known. */
                id: string | null;
                /** @description The transaction id of the other receipt; `null` if its id was posted. */
                transaction_id: string | null;
            }[];
            /** @description The ids of the raw receipts from which the receipt was converted; empty if it was posted as JSON. */
            pos_data_ids: string[];
            /** @description The files of the receipt, by label. */
            attachments: {
                [key: string]: {
                    /** @description The id of the attachment. */
                    id: string;
                    /** @description The path of the content, relative to the base URL. */
                    url: string;
                    /** @description The media type of the attachment. */
                    content_type: string;
                    /** @description The file name of the attachment. */
                    filename: string | null;
                    /** @description The size of the attachment in bytes. */
                    size: number;
                };
            };
            properties: components["schemas"]["ReceiptProperties"];
            /** @description Fields that you define. Those in the retailer setting `dynamic_fields.receipt` can be searched. */
            dynamic: {
                [key: string]: unknown;
            };
        };
        TotalsRow: {
            /**
             * Format: date
             * @description The date of `localtime`. Present if grouped by `day`.
             */
            day?: string;
            /** @description The store, as stated on the receipts. Present if grouped by `store`. */
            store_reference?: string;
            /** @description The till; `null` for receipts without a till. Present if grouped by `till`. */
            till_uuid?: string | null;
            /** @description The currency of the receipts and of all amounts except those in `payments`, an ISO 4217 code. */
            currency: string;
            /** @description The number of receipts, excluding duplicates and voided or deleted receipts. */
            receipts: number;
            /** @description The number of items on the receipts. */
            items: number;
            /** @description The sum of the totals, exact to the last digit. */
            total: number;
            /** @description The sum of the net totals; `null` if no receipt has a net total. */
            net: number | null;
            /** @description The sum of the discounts on receipts and items, with their signs as posted. */
            discounts: number;
            /** @description The sum of the charges on receipts. */
            charges: number;
            /** @description The sum of the tips that were paid in the currency of the receipts. */
            tips: number;
            /** @description The returned items. */
            returns: {
                /** @description The number of items with `return` or a negative quantity. */
                items: number;
                /** @description The sum of the totals of these items, with their signs as posted. */
                total: number;
            };
            /** @description The voided receipts, which are not included in any other figure. */
            voids: {
                /** @description The number of voided receipts. */
                receipts: number;
                /** @description The sum of the totals of these receipts. */
                total: number;
            };
            /** @description The taxes on the receipts, one entry per name and rate. */
            taxes: {
                /** @description The name of the tax. */
                name: string;
                /** @description The rate of the tax in percent; `null` if none was posted. */
                rate: number | null;
                /** @description The sum of the tax over the receipts. */
                amount: number;
            }[];
            /** @description The payments, one entry per method and currency. */
            payments: {
                /** @description The payment method. */
                method: string;
                /** @description The currency of the payments, an ISO 4217 code. It may differ from that of the receipts. */
                currency: string;
                /** @description The number of payments. */
                count: number;
                /** @description The sum of the payments, less the change given. */
                amount: number;
            }[];
            /**
             * Format: date-time
             * @description The `localtime` of the earliest receipt; `null` if all are voided.
             */
            first_localtime: string | null;
            /**
             * Format: date-time
             * @description The `localtime` of the latest receipt; `null` if all are voided.
             */
            last_localtime: string | null;
        };
        __schema0: {
            /** @description The position of the first character of the part in the query, from 0. */
            start: number;
            /** @description The position after the last character of the part in the query. */
            end: number;
            /** @description The text of this part of the query. */
            text: string;
            /**
             * @description Whether the condition is required (`must`), optional (`should`) or excluded (`must_not`).
             * @enum {string}
             */
            occur: "must" | "should" | "must_not";
            /** @description The name of the field. */
            field?: string;
            /** @description The type of the field. */
            type?: string;
            /** @description The value, range or pattern with which the field is compared. */
            test?: unknown;
            /** @description The conditions of a group in brackets. */
            clauses?: components["schemas"]["__schema0"][];
        };
        /** @description The body of all errors. Some errors have further members, such as the `id` of an existing receipt. */
        Error: {
            /** @description The error in words. The text may change. */
            description: string;
            /** @description The reason phrase of the HTTP status code, in lower case. */
            status: string;
            /** @description The stable code of the error. `/docs/errors/{code}` explains its causes and what to do. */
            code?: string;
            /** @description The URL path of the page that explains the code. */
            doc_url?: string;
            /** @description All errors in the body or in the parameters. */
            errors?: {
                /** @description A JSON Pointer to the invalid member or parameter. */
                path: string;
                /** @description The stable code of this error. */
                code: string;
                /** @description This error in words. */
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
                /** @description `Bearer`, with `error="invalid_token"` if the request contained a token (RFC 6750). */
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
        /** @description the response is not available in a media type that the Accept header allows */
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
        /** @description a receipt with this transaction id already exists; a receipt with this external id already exists; another receipt already uses this link; the idempotency key was used with another request */
        "409-duplicate_transaction_id-duplicate_external_id-link_taken-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the stored receipt is too large; a header is too large, or all headers together are */
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
                /** @description The media types that PATCH accepts. Only for PATCH requests. */
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
        /** @description only the last four digits of a card number may be sent; a GTIN has 8, 12, 13 or 14 digits, of which the last is the check digit; store can not be set or updated from receipt; store not found; attachment not found; the link is unknown or has expired; the body does not match the schema; the body has too many values */
        "422-card_number_too_long-invalid_gtin-store_not_allowed-store_not_found-attachment_not_found-link_not_found-schema_validation_failed-too_many": {
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
                /** @description The number of seconds after which the request can be retried. */
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
        /** @description the service is temporarily unavailable, try again */
        "503-unavailable": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description The number of seconds after which the request can be retried. */
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
        /** @description a header is too large, or all headers together are */
        "413-headers_too_large": {
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
        /** @description a header is too large, or all headers together are; the body is too large */
        "413-headers_too_large-body_too_large": {
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
        /** @description store not found; the body does not match the schema; the body has too many values */
        "422-store_not_found-schema_validation_failed-too_many": {
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
        /** @description the URL signature is invalid; permission denied; a client or signature that is restricted to consumers cannot be used here */
        "403-invalid_signature-permission_denied-consumer_mismatch-2": {
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
        /** @description receipt processing is pending; a test operation of the patch failed; the resource was changed concurrently, try again */
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
        /** @description receipt processing is pending; the resource was changed concurrently, try again */
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
        /** @description the receipt cannot be an invoice */
        "422-not_an_invoice": {
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
        /** @description receipt processing is pending; the resource was changed concurrently, try again; the idempotency key was used with another request */
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
        /** @description the receipt was voided; a receipt can have at most 100 gift receipts; the body does not match the schema */
        "422-receipt_voided-too_many-schema_validation_failed": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description gift receipt not found */
        "404-gift_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the gift receipt is no longer valid, because its receipt was voided, deleted or erased */
        "410-gift_ended": {
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
        /** @description too many concurrent searches */
        "429-rate_limited-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description The number of seconds after which the request can be retried. */
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
        /** @description retailer not found */
        "404-not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a receipt with this external id already exists; another receipt already uses this link; the idempotency key was used with another request */
        "409-duplicate_external_id-link_taken-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body does not match the schema; attachment not found; the link is unknown or has expired */
        "422-schema_validation_failed-attachment_not_found-link_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a receipt with this external id already exists; the idempotency key was used with another request */
        "409-duplicate_external_id-idempotency_mismatch": {
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
        /** @description the attachment was deleted */
        "410-attachment_deleted": {
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
        /** @description the data of the packet was deleted */
        "410-packet_deleted": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the packet has already been converted; the resource was changed concurrently, try again; the idempotency key was used with another request */
        "409-packet_converted-conflict-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the data of the packet was deleted */
        "422-packet_deleted": {
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
        /** @description receipt not found; the receipt was voided; the channel is not available; the body does not match the schema; the body has too many values */
        "422-receipt_not_found-receipt_voided-channel_not_available-schema_validation_failed-too_many": {
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
                /** @description The number of seconds after which the request can be retried. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the body is not in the format of the account's provider; the request is not well-formed HTTP; a parameter is invalid */
        "400-malformed_body-bad_request-invalid_parameter": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the request is not signed by the account's provider */
        "403-invalid_signature": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description account not found */
        "404-not_found-2": {
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
        /** @description a header is too large, or all headers together are; the body is too large */
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
        /** @description the content type of the body is not supported here */
        "415-unsupported_media_type-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description The media types that PATCH accepts. Only for PATCH requests. */
                "Accept-Patch"?: string;
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
                /** @description The number of seconds after which the request can be retried. */
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
        /** @description the service is temporarily unavailable, try again */
        "503-unavailable-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description The number of seconds after which the request can be retried. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
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
        /** @description the response is not available in a media type that the Accept header allows */
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
        /** @description a header is too large, or all headers together are */
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
        /** @description the link is invalid or was revoked */
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
        /** @description receipt processing is pending */
        "409-processing_pending-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the receipt was deleted */
        "410-receipt_deleted-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the receipt cannot be an invoice */
        "422-not_an_invoice-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the link is invalid or was revoked; the installation has no certificate for passes */
        "404-link_not_found-pass_not_available": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the link is invalid or was revoked; attachment not found */
        "404-link_not_found-attachment_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description the gift receipt is no longer valid, because its receipt was voided, deleted or erased */
        "410-gift_ended-2": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
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
        /** @description a retailer can have at most 1000 webhook endpoints; the body does not match the schema */
        "422-too_many-schema_validation_failed": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description webhook endpoint not found */
        "404-not_found-3": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a test operation of the patch failed; the resource was changed concurrently, try again */
        "409-patch_test_failed-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the resource was changed concurrently, try again; the idempotency key was used with another request */
        "409-conflict-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description webhook delivery not found */
        "404-not_found-4": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description this webhook delivery is being attempted; the webhook endpoint is disabled; the idempotency key was used with another request */
        "409-delivery_in_progress-endpoint_disabled-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the event is no longer stored */
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
        /** @description events after this cursor no longer exist: they are too old, or were lost with a restored backup */
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
        /** @description the identifier already exists; the idempotency key was used with another request */
        "409-identifier_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too many concurrent validations */
        "429-rate_limited-5": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description The number of seconds after which the request can be retried. */
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
                /** @description The number of seconds after which the request can be retried. */
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
        /** @description loyalty programme not found */
        "404-not_found-5": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a retailer with this id already exists; the idempotency key was used with another request */
        "409-retailer_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the filters of webhook endpoints use a dynamic field that the change removes or retypes; a test operation of the patch failed; the resource was changed concurrently, try again */
        "409-setting_in_use-patch_test_failed-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the logo was replaced or never existed */
        "404-logo_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/html": string;
            };
        };
        /** @description a client with this key already exists; the idempotency key was used with another request */
        "409-client_key_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a subscription with this name already exists; the idempotency key was used with another request */
        "409-subscription_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a retailer can have at most 20 subscriptions; the body does not match the schema */
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
        /** @description subscription not found */
        "404-not_found-6": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a store with this reference already exists; the idempotency key was used with another request */
        "409-store_exists-idempotency_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description store not found */
        "404-not_found-7": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a store with this reference already exists; a test operation of the patch failed; the resource was changed concurrently, try again */
        "409-store_exists-patch_test_failed-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description client not found */
        "404-not_found-8": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied: a client cannot grant permissions that it does not hold; the URL signature is invalid; a client or signature that is restricted to consumers cannot be used here */
        "403-permission_denied-invalid_signature-consumer_mismatch": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description a client with this key already exists; the resource was changed concurrently, try again */
        "409-client_key_exists-conflict": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied: the client holds permissions that the caller does not hold; the URL signature is invalid; a client or signature that is restricted to consumers cannot be used here */
        "403-permission_denied-invalid_signature-consumer_mismatch-2": {
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
        /** @description too many tokens of the client were revoked individually; use another client; the body does not match the schema; the body has too many values */
        "422-too_many_revocations-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request is not well-formed HTTP; a parameter is invalid; the body is not valid JSON; the portal user is invalid */
        "400-bad_request-invalid_parameter-malformed_body-invalid_portal_user": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description permission denied: the group holds permissions that the caller does not hold; the URL signature is invalid; a client or signature that is restricted to consumers cannot be used here */
        "403-permission_denied-invalid_signature-consumer_mismatch-3": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description no portal user with this e-mail address can be managed here */
        "404-not_found-9": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the resource was changed concurrently, try again */
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
        /** @description too many password resets were requested for this address, try again later */
        "429-rate_limited-7": {
            headers: {
                "request-id": components["headers"]["request-id"];
                /** @description The number of seconds after which the request can be retried. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description queue not found */
        "404-queue_not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description queue not found; dead letter not found */
        "404-queue_not_found-not_found": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the mapping cannot be used; the body does not match the schema; the body has too many values */
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
        /** @description the mapping cannot be used; an operation of the patch cannot be applied; the patch changes a field that cannot be changed; the body does not match the schema; the body has too many values */
        "422-mapping_invalid-patch_not_applicable-field_not_modifiable-schema_validation_failed-too_many": {
            headers: {
                "request-id": components["headers"]["request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the mapping cannot be used; the samples of the mapping do not produce the expected receipts; the body does not match the schema; the body has too many values */
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
        /** @description Whether the response is indented for readability. */
        pretty: boolean;
        /**
         * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
         * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
         */
        "Idempotency-Key": string;
        /** @description The version of the endpoint to use. The response repeats it. */
        "service-api-version": "1" | "2";
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request, which also appears in the logs of the service. */
        "request-id": string;
        /** @description The path of the new resource, relative to the base URL; for a redirect, the path to follow. */
        Location: string;
        /** @description Whether this is the response to an earlier request with the same `Idempotency-Key`. */
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
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /**
                 * @description Only return the receipts with these ids, separated by commas.
                 * @example [
                 *       "6a1f3c2b9d4e5f60718293a4"
                 *     ]
                 */
                id?: string[];
                /**
                 * @description Only return receipts from the stores with these ids, separated by commas.
                 * @example [
                 *       17
                 *     ]
                 */
                store_id?: number[];
                /**
                 * @description Only return receipts from the stores with these references or external references, separated by commas.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /**
                 * @description Only return the receipts with these transaction ids, separated by commas.
                 * @example [
                 *       "2026-03-14/17/4711"
                 *     ]
                 */
                transaction_id?: string[];
                /** @description The maximum number of receipts per page. */
                count?: number;
                /**
                 * @description The id of a receipt. Returns the receipts that arrived directly after it.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                newer?: string;
                /**
                 * @description The id of a receipt. Returns the receipts that arrived directly before it. Only in version 1.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
                /**
                 * @description The cursor of a `next` link. Only in version 2.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                next?: string;
                /**
                 * @description The cursor of a `prev` link. Only in version 2.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                prev?: string;
            };
            header?: {
                /** @description The version of the endpoint to use. The response repeats it. */
                "service-api-version"?: components["parameters"]["service-api-version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list, in the version that the header `service-api-version` selects. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReturnedReceipt"][] | {
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The first page. */
                            latest: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                            /** @description The receipts that have arrived since. Present on the first page and after `newer`. */
                            newer?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                            /** @description The page with older receipts. Absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                            /** @description The page with newer receipts. Absent on the first page. */
                            prev?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                        /** @description The receipts of this page, newest first. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The resource was created. */
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
                     *       "id": "6650f2c81b3c9a0012ab34cd",
                     *       "_links": {
                     *         "webview": {
                     *           "href": "https://receipts.example/r/Q2hhbmdlTWU",
                     *           "qrcode": {
                     *             "href": "https://receipts.example/r/Q2hhbmdlTWU/qr"
                     *           }
                     *         },
                     *         "pdf": {
                     *           "href": "https://receipts.example/r/Q2hhbmdlTWU/pdf"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description The id of the new receipt. */
                        id: string;
                        /** @description Links to renderings of the receipt. Present if the retailer setting `response_links` is on. */
                        _links?: components["schemas"]["ReceiptLinks"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-duplicate_transaction_id-duplicate_external_id-link_taken-idempotency_mismatch"];
            413: components["responses"]["413-body_too_large-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-card_number_too_long-invalid_gtin-store_not_allowed-store_not_found-attachment_not_found-link_not_found-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    createReceipts: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {"transaction_id":"2024-05-17-0042","localtime":"2024-05-17T14:03:22","store_reference":1,"identifier":"jane@example.com","total":12.4,"items":[{"name":"Coffee","name:fr":"Café","quantity":2,"total":7.4,"vat":{"rate":20,"amount":1.23}},{"name":"Cake","quantity":1,"total":5,"properties":{"category":"bakery"}}],"payments":[{"method":"card","amount":12.4,"details":{"number":"1234","type":"VISA"}}]} */
                "application/x-ndjson": string;
                "application/json": {
                    /** @description The receipts, in order of arrival. */
                    receipts: components["schemas"]["PostedReceipt"][];
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 1,
                     *       "refused": 1,
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 201,
                     *           "id": "6650f2c81b3c9a0012ab34cd"
                     *         },
                     *         {
                     *           "index": 1,
                     *           "status": 409,
                     *           "code": "duplicate_transaction_id",
                     *           "description": "a receipt with this transaction id already exists",
                     *           "id": "6650f2c81b3c9a0012ab34cd"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description The number of receipts that were stored. */
                        accepted: number;
                        /** @description The number of receipts that were not stored. */
                        refused: number;
                        /** @description The results, one for each receipt, in the same order as the batch. */
                        results: ({
                            /** @description The number of the receipt in the batch, from 0. Empty lines are not counted. */
                            index: number;
                            /**
                             * @description Always 201: the receipt was stored.
                             * @constant
                             */
                            status: 201;
                            /** @description The id of the new receipt. */
                            id: string;
                            /** @description Links to renderings of the receipt. Present if the retailer setting `response_links` is on. */
                            _links?: components["schemas"]["ReceiptLinks"];
                        } | {
                            /** @description The number of the receipt in the batch, from 0. Empty lines are not counted. */
                            index: number;
                            /** @description The status that `POST /receipts` would have returned. */
                            status: number;
                            /** @description The stable code of the error. */
                            code?: string;
                            /** @description The error in words. The text may change. */
                            description: string;
                            /** @description The URL path of the page that explains the code. */
                            doc_url?: string;
                            /** @description All errors in the receipt. A response lists at most 20,000 errors; further rejected receipts have only their first. */
                            errors?: {
                                /** @description A JSON Pointer to the invalid member of the receipt. */
                                path: string;
                                /** @description The stable code of this error. */
                                code: string;
                                /** @description This error in words. */
                                message: string;
                            }[];
                            /** @description The id of the existing receipt; present with the codes `link_taken` and `duplicate_…`. */
                            id?: string;
                        })[];
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
    allotLinks: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "count": 2
                 *     }
                 */
                "application/json": {
                    /** @description The number of links to create. Defaults to 1. */
                    count?: number;
                    /** @description The store that uses the links. An unknown store is rejected only if the retailer setting `stores.require_known` is on. */
                    store_reference?: string | number;
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The links, each for one receipt. */
                        links: {
                            /** @description The link, at most 64 characters of `A-Za-z0-9_-`. Send it as `link` of the receipt. It can be used once. */
                            link: string;
                            /** @description The receipt as a web page for the consumer. */
                            webview: {
                                /** @description The URL of the page. */
                                href: string;
                                /** @description A QR code that links to the page, as PNG or SVG. */
                                qrcode: {
                                    /** @description The URL of the QR code. */
                                    href: string;
                                };
                            };
                            /** @description When the link expires if no receipt has used it, 30 days after it was created. */
                            expires_timestamp: string;
                        }[];
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
            422: components["responses"]["422-store_not_found-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    exportReceipts: {
        parameters: {
            query: {
                /**
                 * @description The first `timestamp` of the range, ISO 8601. A date means its first instant in UTC.
                 * @example 2026-03-01T00:00:00Z
                 */
                from: string;
                /**
                 * @description The exclusive end of the range, at most 366 days after `from`.
                 * @example 2026-03-01T00:00:00Z
                 */
                to: string;
                /**
                 * @description Only export receipts from the stores with these references or external references, separated by commas.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /** @description The format. Defaults to the one preferred by `Accept`, otherwise to `ndjson`. */
                format?: "ndjson" | "csv";
                /**
                 * @description Only export receipts after this cursor of an earlier export with the same parameters.
                 * @example AAAAAAPoQ3pK9x1d
                 */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
    getReceipt: {
        parameters: {
            query?: {
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Whether to add `checks`, the list of inconsistencies in the receipt. */
                checks?: boolean;
                /** @description The format in which the consumer takes the receipt along, as a file. `json`: as its page shows it, without free-form data, the identifier, and card facts other than the brand and the last four digits. `csv`: the columns of `GET /receipts/export`, with an empty `identifier` and one row for each item. `ubl`: a UBL 2.1 invoice by EN 16931, or a credit note if the total is negative. A receipt that lacks what the standard requires causes 422, and `errors` names each missing business term. `ekabs`: the German "elektronischer Kassenbeleg", with the data of the TSE. */
                format?: "json" | "csv" | "ubl" | "ekabs";
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                     *       "voided": null,
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
                     *         "vatno": null,
                     *         "company": null,
                     *         "properties": {}
                     *       },
                     *       "retailer": {
                     *         "name": "Demo",
                     *         "vatno": null
                     *       },
                     *       "total": 12.4,
                     *       "till_uuid": null,
                     *       "till_sequence": null,
                     *       "subtotal": null,
                     *       "net": null,
                     *       "gross": null,
                     *       "vat": [],
                     *       "taxes": [],
                     *       "discounts": [],
                     *       "charges": [],
                     *       "items": [
                     *         {
                     *           "gtin": null,
                     *           "lot": null,
                     *           "serial": null,
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
                     *           "gtin": null,
                     *           "lot": null,
                     *           "serial": null,
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
                     *           "tip": null,
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
                     *       "fiscal": null,
                     *       "related": [],
                     *       "pos_data_ids": [],
                     *       "attachments": {},
                     *       "properties": {},
                     *       "dynamic": {}
                     *     }
                     */
                    "application/json": {
                        /** @description The id of the receipt: 24 hexadecimal digits. */
                        id: string;
                        /** @description Your own number for the sale, unique per retailer. */
                        transaction_id: string;
                        /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                        external_id: string | null;
                        /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                        identifier: string | null;
                        /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                        duplicate: boolean;
                        /** @description Whether parts of the receipt are missing. */
                        incomplete: boolean;
                        /** @description When and why the receipt was voided; `null` if it was not. A voided receipt is excluded from summaries, totals and loyalty programmes. */
                        voided: {
                            /** @description When the receipt was voided, ISO 8601 in UTC with the offset `+00:00`. */
                            timestamp: string;
                            /** @description Why the receipt was voided. */
                            reason: string | null;
                            /** @description Your own number for the void. */
                            transaction_id: string | null;
                        } | null;
                        /** @description When the sale took place, in local time with its offset from UTC, ISO 8601. */
                        localtime: string;
                        /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                        timestamp: string;
                        /** @description The reference of the store, as posted. */
                        store_reference: string;
                        /** @description The store as it was when the receipt arrived. Its members are `null` or empty if the store was unknown. */
                        store: {
                            /** @description The name of the store, shown on receipts. */
                            name: string | null;
                            /** @description The lines of the street address. */
                            address: string[];
                            /** @description The city of the store. */
                            city: string | null;
                            /** @description The postcode of the store. */
                            postcode: string | null;
                            /** @description The country, an ISO 3166-1 alpha-3 code such as `FRA`. */
                            country: string | null;
                            /** @description The phone number of the store. */
                            phone: string | null;
                            /** @description The VAT number of the store’s legal entity, shown instead of the retailer’s. */
                            vatno: string | null;
                            /** @description The name of the store’s legal entity, shown instead of the retailer’s. */
                            company: string | null;
                            /** @description Other data about the store. Free-form. */
                            properties: unknown;
                        };
                        /** @description The retailer as it was when the receipt arrived. */
                        retailer: {
                            /** @description The name of the retailer. */
                            name: string;
                            /** @description The VAT number of the retailer. */
                            vatno: string | null;
                        };
                        /** @description The total of the receipt, in its currency. */
                        total: number;
                        /** @description The id of the till that made the sale. */
                        till_uuid: string | null;
                        /** @description The till’s own number of the receipt, which counts without gaps. See `GET /reports/gaps`. */
                        till_sequence: number | null;
                        /** @description The total before discounts and taxes. */
                        subtotal: number | null;
                        /** @description The total excluding taxes. */
                        net: number | null;
                        /** @description The total including taxes. */
                        gross: number | null;
                        /**
                         * @deprecated
                         * @description The value-added tax by rate. Deprecated: use `taxes`.
                         */
                        vat: {
                            /** @description The rate of the value-added tax in percent. */
                            rate: number;
                            /** @description The amount of the value-added tax, in the currency of the receipt. */
                            amount: number;
                            /** @description Your code for the value-added tax. */
                            code: string | null;
                        }[];
                        /** @description The taxes on the whole receipt. */
                        taxes: {
                            /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                            name: string;
                            /** @description The rate of the tax in percent. */
                            rate: number | null;
                            /** @description The amount of the tax, in the currency of the receipt. */
                            amount: number;
                            /** @description Your code for the tax. */
                            code: string | null;
                            /** @description Other data about the tax. Free-form. */
                            properties: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description The discounts on the whole receipt. */
                        discounts: {
                            /** @description The name of the discount, as printed on the receipt. */
                            name: string;
                            /** @description The number of discounted units. */
                            quantity: number | null;
                            /** @description The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted. */
                            amount: number;
                            /** @description The discount in percent. */
                            percentage: number | null;
                            /** @description Other data about the discount. Free-form. */
                            properties: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description Charges on the whole receipt that are not items: service, delivery, deposits or rounding. */
                        charges: {
                            /** @description The name of the charge, as printed on the receipt. */
                            name: string;
                            /** @description The amount of the charge, in the currency of the receipt. It counts towards the total. */
                            amount: number;
                            /** @description The taxes on the charge. */
                            taxes: {
                                /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                                name: string;
                                /** @description The rate of the tax in percent. */
                                rate: number | null;
                                /** @description The amount of the tax, in the currency of the receipt. */
                                amount: number;
                                /** @description Your code for the tax. */
                                code: string | null;
                                /** @description Other data about the tax. Free-form. */
                                properties: {
                                    [key: string]: unknown;
                                };
                            }[];
                        }[];
                        /** @description The items sold or returned, in the order in which they appear on the printed receipt. */
                        items: ({
                            /** @description The name of the item, as printed on the receipt. */
                            name: string;
                            /** @description The quantity, in units of `unit`. Negative for returned items. */
                            quantity: number;
                            /** @description The GTIN of the article: 8, 12, 13 or 14 digits with a correct check digit. */
                            gtin: string | null;
                            /** @description The batch or lot number of the article. */
                            lot: string | null;
                            /** @description The serial number of the article. */
                            serial: string | null;
                            /** @description The unit of `quantity`, such as `pcs` or `kg`. */
                            unit: string | null;
                            /** @description The price of the whole quantity, in the currency of the receipt. */
                            total: number;
                            /** @description The price of the whole quantity, excluding taxes. */
                            net: number | null;
                            /** @description The price of the whole quantity, including taxes. */
                            gross: number | null;
                            /** @description The price of one unit. */
                            unit_price: number | null;
                            /** @description The price of one unit, including taxes. */
                            gross_unit_price: number | null;
                            /** @description The price of one unit, excluding taxes. */
                            net_unit_price: number | null;
                            /** @description The value-added tax on the item. Deprecated: use `taxes`. */
                            vat: {
                                /** @description The rate of the value-added tax in percent. */
                                rate: number;
                                /** @description The amount of the value-added tax, in the currency of the receipt. */
                                amount: number;
                                /** @description Your code for the value-added tax. */
                                code: string | null;
                            } | null;
                            /** @description The taxes on the item. */
                            taxes: {
                                /** @description The name of the tax: lower-case letters, digits and underscores, such as `vat`. */
                                name: string;
                                /** @description The rate of the tax in percent. */
                                rate: number | null;
                                /** @description The amount of the tax, in the currency of the receipt. */
                                amount: number;
                                /** @description Your code for the tax. */
                                code: string | null;
                                /** @description Other data about the tax. Free-form. */
                                properties: {
                                    [key: string]: unknown;
                                };
                            }[];
                            /** @description The discounts on the item. */
                            discounts: {
                                /** @description The name of the discount, as printed on the receipt. */
                                name: string;
                                /** @description The number of discounted units. */
                                quantity: number | null;
                                /** @description The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted. */
                                amount: number;
                                /** @description The discount in percent. */
                                percentage: number | null;
                                /** @description Other data about the discount. Free-form. */
                                properties: {
                                    [key: string]: unknown;
                                };
                            }[];
                            /** @description The return of the item. Its presence marks a returned item. */
                            return: {
                                /** @description When the item was returned, ISO 8601. */
                                localtime: string;
                                /** @description Why the item was returned. */
                                reason: string | null;
                                /** @description Other data about the return. Free-form. */
                                properties: {
                                    [key: string]: unknown;
                                };
                            } | null;
                            /** @description Other data about the item. Free-form, except for the members listed here. */
                            properties: {
                                [key: string]: unknown;
                            };
                            /** @description Fields that you define. Those in the retailer setting `dynamic_fields.item` can be searched. */
                            dynamic: {
                                [key: string]: unknown;
                            };
                        } & {
                            [key: string]: unknown;
                        })[];
                        /** @description How the receipt was paid, one entry per payment. */
                        payments: {
                            /** @description The payment method, such as `card`, `cash` or `giftcard`. */
                            method: string;
                            /** @description The amount paid with this method, in the currency of the payment. */
                            amount: number;
                            /** @description The currency of the payment, an ISO 4217 code. Defaults to the currency of the receipt. */
                            currency: string | null;
                            /** @description How much of `amount` is a tip, which does not count towards the total of the receipt. */
                            tip: number | null;
                            /** @description The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by `method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit and direct debit. Pages, PDFs and messages show only the last four characters. */
                            number?: string | null;
                            /** @description The type of the card, such as `VISA`. */
                            type?: string | null;
                            /** @description The issue number of the card. */
                            issue?: string | null;
                            /** @description The date from which the card is valid. */
                            start?: string | null;
                            /** @description The date until which the card is valid. */
                            end?: string | null;
                            /** @description The number of the purchase order. */
                            po_number?: string | null;
                            /** @description The change given to the customer. */
                            change?: number | null;
                            /** @description The amount by which a cash payment was rounded. */
                            rounding?: number | null;
                            /** @description The date on which the gift card expires. */
                            expiry?: string | null;
                            /** @description The balance left on the gift card. */
                            balance?: number | null;
                            /** @description The brand of the card, such as `Visa`. */
                            brand?: string | null;
                            /** @description How the card was read. */
                            entry_mode?: string | null;
                            /** @description The code with which the issuer approved the payment. */
                            authorization_code?: string | null;
                            /** @description The id of the payment terminal. */
                            terminal_id?: string | null;
                            /** @description The id of the merchant with the acquirer. */
                            merchant_id?: string | null;
                            /** @description The application identifier (AID) of the card: 10 to 32 hexadecimal digits. */
                            aid?: string | null;
                            /** @description The cryptogram of the payment (ARQC or TC). */
                            arqc?: string | null;
                            /** @description How the cardholder was verified; `device` means on their own device. */
                            cvm?: string | null;
                            /** @description The retrieval reference number of the payment. */
                            rrn?: string | null;
                            /** @description The fields of the payment method. They may be given here or next to `method`. */
                            details?: {
                                /** @description The last four digits of the card, or the number of the gift card. More than four digits of a card cause 422. A card is recognized by `method`, `brand` and `type`, or by 12 to 19 digits with a correct check digit, except for gift cards, vouchers, store credit and direct debit. Pages, PDFs and messages show only the last four characters. */
                                number?: string | null;
                                /** @description The type of the card, such as `VISA`. */
                                type?: string | null;
                                /** @description The issue number of the card. */
                                issue?: string | null;
                                /** @description The date from which the card is valid. */
                                start?: string | null;
                                /** @description The date until which the card is valid. */
                                end?: string | null;
                                /** @description The number of the purchase order. */
                                po_number?: string | null;
                                /** @description The change given to the customer. */
                                change?: number | null;
                                /** @description The amount by which a cash payment was rounded. */
                                rounding?: number | null;
                                /** @description The date on which the gift card expires. */
                                expiry?: string | null;
                                /** @description The balance left on the gift card. */
                                balance?: number | null;
                                /** @description The brand of the card, such as `Visa`. */
                                brand?: string | null;
                                /** @description How the card was read. */
                                entry_mode?: string | null;
                                /** @description The code with which the issuer approved the payment. */
                                authorization_code?: string | null;
                                /** @description The id of the payment terminal. */
                                terminal_id?: string | null;
                                /** @description The id of the merchant with the acquirer. */
                                merchant_id?: string | null;
                                /** @description The application identifier (AID) of the card: 10 to 32 hexadecimal digits. */
                                aid?: string | null;
                                /** @description The cryptogram of the payment (ARQC or TC). */
                                arqc?: string | null;
                                /** @description How the cardholder was verified; `device` means on their own device. */
                                cvm?: string | null;
                                /** @description The retrieval reference number of the payment. */
                                rrn?: string | null;
                            };
                        }[];
                        /** @description Language, time zone and currency of the receipt, with missing values filled in. */
                        l10n: {
                            /** @description The language and region of the receipt, such as `en_GB`. */
                            locale: string;
                            /** @description The language in which translated item names are shown, such as `de_AT`. */
                            translation_locale: string | null;
                            /** @description The time zone of the receipt, an IANA name such as `Europe/Paris`. */
                            timezone: string;
                            /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                            currency: string;
                        };
                        /** @description What the fiscal device of the till has signed. */
                        fiscal: {
                            /**
                             * @description The law under which the receipt was signed.
                             * @enum {string}
                             */
                            regime: "de-tse" | "at-rksv" | "es-verifactu" | "es-ticketbai" | "pt" | "se" | "it" | "fr" | "hu" | "other";
                            /** @description The id of the fiscal device. */
                            device_id: string | null;
                            /** @description The number that the fiscal device gave the transaction. */
                            number: string | null;
                            /** @description The number of signatures of the fiscal device so far. */
                            counter: number | null;
                            /** @description When the transaction started, ISO 8601 with an offset. */
                            started: string | null;
                            /** @description When the transaction ended, ISO 8601 with an offset. */
                            finished: string | null;
                            /** @description The signature of the fiscal device. */
                            signature: string | null;
                            /** @description The certificate or public key of the device: DER in base64. */
                            certificate: string | null;
                            /** @description The exact content of the code that the law requires. */
                            qr: string | null;
                            /** @description Further lines that the law requires on the receipt. */
                            texts: string[];
                        } | null;
                        /** @description The receipts that this one returns, exchanges or corrects. */
                        related: {
                            /**
                             * @description How this receipt relates to the other receipt.
                             * @enum {string}
                             */
                            type: "return" | "exchange" | "correction";
                            /** @description The id of the other receipt; `null` until it is known. */
                            id: string | null;
                            /** @description The transaction id of the other receipt; `null` if its id was posted. */
                            transaction_id: string | null;
                        }[];
                        /** @description The ids of the raw receipts from which the receipt was converted; empty if it was posted as JSON. */
                        pos_data_ids: string[];
                        /** @description The files of the receipt, by label. */
                        attachments: {
                            [key: string]: {
                                /** @description The id of the attachment. */
                                id: string;
                                /** @description The path of the content, relative to the base URL. */
                                url: string;
                                /** @description The media type of the attachment. */
                                content_type: string;
                                /** @description The file name of the attachment. */
                                filename: string | null;
                                /** @description The size of the attachment in bytes. */
                                size: number;
                            };
                        };
                        properties: components["schemas"]["ReceiptProperties"];
                        /** @description Fields that you define. Those in the retailer setting `dynamic_fields.receipt` can be searched. */
                        dynamic: {
                            [key: string]: unknown;
                        };
                        /** @description The checks that the receipt fails. Absent unless `checks=true`. */
                        checks?: {
                            /**
                             * @description Which part does not add up: the items and discounts (`items_total`), the payments (`payments_total`), the taxes of the items (`taxes_total`), total and taxes (`net_total`), or quantity, unit price and discounts of an item (`item_total`). Of the fiscal data: the signature or a check sum is wrong (`fiscal_signature`), the signed amounts differ from those of the receipt (`fiscal_amounts`), or a field that the law requires is missing, malformed or contradicts the code (`fiscal_fields`).
                             * @enum {string}
                             */
                            code: "items_total" | "payments_total" | "taxes_total" | "net_total" | "item_total" | "fiscal_signature" | "fiscal_amounts" | "fiscal_fields";
                            /** @description The JSON Pointer of the value that was posted, or of the missing field. */
                            path: string;
                            /** @description The number that was computed from the others. Of the fiscal data: the value that would agree, or the name of the member that is missing or malformed. */
                            expected: number | string | null;
                            /** @description The value that was posted, `null` if it is missing. At most 255 characters of a text. */
                            actual: number | string | null;
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
            422: components["responses"]["422-not_an_invoice"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    deleteReceipt: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the receipt.
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
                    /** @description The consumer who owns the receipt from now on. */
                    identifier: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
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
                     *       "voided": null,
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
                     *         "vatno": null,
                     *         "company": null,
                     *         "properties": {}
                     *       },
                     *       "retailer": {
                     *         "name": "Demo",
                     *         "vatno": null
                     *       },
                     *       "total": 12.4,
                     *       "till_uuid": null,
                     *       "till_sequence": null,
                     *       "subtotal": null,
                     *       "net": null,
                     *       "gross": null,
                     *       "vat": [],
                     *       "taxes": [],
                     *       "discounts": [],
                     *       "charges": [],
                     *       "items": [
                     *         {
                     *           "gtin": null,
                     *           "lot": null,
                     *           "serial": null,
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
                     *           "gtin": null,
                     *           "lot": null,
                     *           "serial": null,
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
                     *           "tip": null,
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
                     *       "fiscal": null,
                     *       "related": [],
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
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The id of the receipt to assign. Cannot be combined with `transaction_id` or `external_id`. */
                    id?: string;
                    /** @description The transaction id of the receipt to assign. Cannot be combined with `id` or `external_id`. */
                    transaction_id?: string;
                    /** @description The external id of the receipt to assign. Cannot be combined with `id` or `transaction_id`. */
                    external_id?: string;
                    /** @description The consumer to whom the receipt is assigned. */
                    identifier: string;
                } & (unknown | unknown | unknown);
            };
        };
        responses: {
            /** @description The request succeeded. */
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
            /** @description The request succeeded. The response has no body. */
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
    voidReceipt: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "wrong customer",
                 *       "transaction_id": "2024-05-17-0043"
                 *     }
                 */
                "application/json": {
                    /** @description Why the receipt is voided. */
                    reason?: string;
                    /** @description Your own number for the void. */
                    transaction_id?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
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
                     *       "voided": {
                     *         "timestamp": "2024-05-17T12:10:04+00:00",
                     *         "reason": "wrong customer",
                     *         "transaction_id": "2024-05-17-0043"
                     *       },
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
                     *         "vatno": null,
                     *         "company": null,
                     *         "properties": {}
                     *       },
                     *       "retailer": {
                     *         "name": "Demo",
                     *         "vatno": null
                     *       },
                     *       "total": 12.4,
                     *       "till_uuid": null,
                     *       "till_sequence": null,
                     *       "subtotal": null,
                     *       "net": null,
                     *       "gross": null,
                     *       "vat": [],
                     *       "taxes": [],
                     *       "discounts": [],
                     *       "charges": [],
                     *       "items": [
                     *         {
                     *           "gtin": null,
                     *           "lot": null,
                     *           "serial": null,
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
                     *           "gtin": null,
                     *           "lot": null,
                     *           "serial": null,
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
                     *           "tip": null,
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
                     *       "fiscal": null,
                     *       "related": [],
                     *       "pos_data_ids": [],
                     *       "attachments": {},
                     *       "properties": {},
                     *       "dynamic": {}
                     *     }
                     */
                    "application/json": components["schemas"]["ReturnedReceipt"];
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-conflict-idempotency_mismatch"];
            410: components["responses"]["410-receipt_deleted"];
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
    getReturnable: {
        parameters: {
            query?: {
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the sale. */
                        receipt_id: string;
                        /** @description The currency of the amounts. */
                        currency: string;
                        /** @description The items that were sold, in the order in which they appear on the receipt. */
                        items: {
                            /** @description The index of the item in the `items` of the receipt, from 0. */
                            index: number;
                            /** @description The name of the item. */
                            name: string;
                            /** @description The unit of the quantities. */
                            unit: string | null;
                            /** @description The quantity that was sold. */
                            quantity: number;
                            /** @description The quantity that was returned. */
                            returned_quantity: number;
                            /** @description The quantity that can still be returned. */
                            returnable_quantity: number;
                            /** @description The total of the item divided by its quantity, rounded half to even to the minor unit of the currency; `null` if the quantity is 0. */
                            unit_price: number | null;
                            /** @description The part of the total that corresponds to the returnable quantity. */
                            returnable_total: number;
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
    createGiftReceipt: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         0
                 *       ],
                 *       "message": "Happy birthday!",
                 *       "until": "2024-12-31"
                 *     }
                 */
                "application/json": {
                    /** @description The indexes of the chosen items in the `items` of the receipt, from 0, each once. Defaults to all items but those with a negative quantity. */
                    items?: number[];
                    /** @description A message to the recipient of the gift. */
                    message?: string;
                    /**
                     * Format: date
                     * @description The last day on which the items can be returned, `YYYY-MM-DD`.
                     */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        gift_id: components["schemas"]["GiftId"];
                        /** @description The receipt as a web page for the consumer. */
                        webview: {
                            /** @description The URL of the page. */
                            href: string;
                            /** @description A QR code that links to the page, as PNG or SVG. */
                            qrcode: {
                                /** @description The URL of the QR code. */
                                href: string;
                            };
                        };
                        /** @description The receipt as a PDF. */
                        pdf: {
                            /** @description The URL of the PDF. */
                            href: string;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-receipt_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-processing_pending-conflict-idempotency_mismatch"];
            410: components["responses"]["410-receipt_deleted"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-receipt_voided-too_many-schema_validation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    getGiftReturnable: {
        parameters: {
            query: {
                /**
                 * @description The returns code of the gift receipt.
                 * @example 0000123456789012345678901234567890
                 */
                gift_id: string;
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the sale. */
                        receipt_id: string;
                        /** @description The currency of the amounts. */
                        currency: string;
                        /** @description The items that were sold, in the order in which they appear on the receipt. */
                        items: {
                            /** @description The index of the item in the `items` of the receipt, from 0. */
                            index: number;
                            /** @description The name of the item. */
                            name: string;
                            /** @description The unit of the quantities. */
                            unit: string | null;
                            /** @description The quantity that was sold. */
                            quantity: number;
                            /** @description The quantity that was returned. */
                            returned_quantity: number;
                            /** @description The quantity that can still be returned. */
                            returnable_quantity: number;
                            /** @description The total of the item divided by its quantity, rounded half to even to the minor unit of the currency; `null` if the quantity is 0. */
                            unit_price: number | null;
                            /** @description The part of the total that corresponds to the returnable quantity. */
                            returnable_total: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied"];
            404: components["responses"]["404-gift_not_found"];
            406: components["responses"]["406-not_acceptable"];
            408: components["responses"]["408-request_timeout"];
            410: components["responses"]["410-gift_ended"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    searchReceipts: {
        parameters: {
            query: {
                /**
                 * @description The query in the search language: conditions `field:value`, separated by spaces.
                 * @example items.name:coffee +total:[10 TO *]
                 */
                query: string;
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description The maximum number of results per page. */
                count?: number;
                /** @description The number of results to skip before the page. */
                offset?: number;
                /** @description Whether to explain how the query was parsed and why each receipt was found. */
                explain?: boolean;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                     *           "voided": null,
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
                     *             "vatno": null,
                     *             "company": null,
                     *             "properties": {}
                     *           },
                     *           "retailer": {
                     *             "name": "Demo",
                     *             "vatno": null
                     *           },
                     *           "total": 12.4,
                     *           "till_uuid": null,
                     *           "till_sequence": null,
                     *           "subtotal": null,
                     *           "net": null,
                     *           "gross": null,
                     *           "vat": [],
                     *           "taxes": [],
                     *           "discounts": [],
                     *           "charges": [],
                     *           "items": [
                     *             {
                     *               "gtin": null,
                     *               "lot": null,
                     *               "serial": null,
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
                     *               "gtin": null,
                     *               "lot": null,
                     *               "serial": null,
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
                     *               "tip": null,
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
                     *           "fiscal": null,
                     *           "related": [],
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
                        /** @description The total number of results. */
                        hits: number;
                        /**
                         * @description `eq` if all results were counted; `at_least` if counting took too long and there are more.
                         * @enum {string}
                         */
                        hits_relation: "eq" | "at_least";
                        /** @description How long the search took, in milliseconds. */
                        time: number;
                        /** @description The matching receipts on this page, best match first. */
                        receipts: components["schemas"]["ReturnedReceipt"][];
                        /** @description How the query was parsed and why receipts were found. Present with `explain=true`. */
                        explain?: {
                            /** @description The parsed query. */
                            query: {
                                /**
                                 * @description How conditions without `+` or `-` are combined.
                                 * @enum {string}
                                 */
                                operator: "or" | "and";
                                /** @description The conditions of the query. */
                                clauses: components["schemas"]["__schema0"][];
                            };
                            /** @description Why each receipt on this page was found. */
                            hits: {
                                /** @description The id of the receipt. */
                                id: string;
                                /** @description The parts of the query that the receipt matches. */
                                matched: {
                                    /** @description The position of the first character of the part in the query, from 0. */
                                    start: number;
                                    /** @description The position after the last character of the part in the query. */
                                    end: number;
                                    /** @description The text of this part of the query. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
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
                    /** @description The arrival position after which to start: `next` of the previous response. By default, starts with the first receipt. */
                    after?: number;
                    /** @description The maximum number of receipts to examine. Defaults to 500. */
                    count?: number;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
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
                        /** @description The number of examined receipts. */
                        examined: number;
                        /** @description The number of receipts whose index has changed. */
                        changed: number;
                        /** @description The value of `after` for the next request; `null` if there are no more receipts. */
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
    getTotals: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zones of the stores. Defaults to today in the time zone of the retailer.
                 * @example 2026-03-14
                 */
                from?: string;
                /**
                 * @description The last day. The range can have at most 366 days. Defaults to today in the time zone of the retailer.
                 * @example 2026-03-14
                 */
                to?: string;
                /**
                 * @description Only include receipts from the stores with these references or external references, separated by commas.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /**
                 * @description Only include receipts from the tills with these ids, separated by commas.
                 * @example [
                 *       "9b2f3c1e-5a64-4d0e-8f5b-0c1d2e3f4a5b"
                 *     ]
                 */
                till_uuid?: string[];
                /**
                 * @description What the totals are grouped by, separated by commas: `day`, `store`, `till`, `currency`. Different currencies are never added up, so `currency` only affects the order.
                 * @example [
                 *       "day,store"
                 *     ]
                 */
                group_by?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "totals": [
                     *         {
                     *           "day": "2026-03-14",
                     *           "store_reference": "1",
                     *           "currency": "EUR",
                     *           "receipts": 412,
                     *           "items": 1206,
                     *           "total": 18733.15,
                     *           "net": 15610.96,
                     *           "discounts": -310.4,
                     *           "charges": 42,
                     *           "tips": 12.5,
                     *           "returns": {
                     *             "items": 9,
                     *             "total": -214.5
                     *           },
                     *           "voids": {
                     *             "receipts": 2,
                     *             "total": 31.8
                     *           },
                     *           "taxes": [
                     *             {
                     *               "name": "vat",
                     *               "rate": 20,
                     *               "amount": 3122.19
                     *             }
                     *           ],
                     *           "payments": [
                     *             {
                     *               "method": "card",
                     *               "currency": "EUR",
                     *               "count": 301,
                     *               "amount": 15020.4
                     *             },
                     *             {
                     *               "method": "cash",
                     *               "currency": "EUR",
                     *               "count": 116,
                     *               "amount": 3672.75
                     *             },
                     *             {
                     *               "method": "cash",
                     *               "currency": "USD",
                     *               "count": 2,
                     *               "amount": 44.2
                     *             }
                     *           ],
                     *           "first_localtime": "2026-03-14T09:01:12+01:00",
                     *           "last_localtime": "2026-03-14T19:58:40+01:00"
                     *         }
                     *       ],
                     *       "as_of": "2026-03-14T19:05:00.120+00:00"
                     *     }
                     */
                    "application/json": {
                        /** @description One row for each group with receipts. */
                        totals: components["schemas"]["TotalsRow"][];
                        as_of: components["schemas"]["ReportTime"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
    getGaps: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zones of the stores. Defaults to today in the time zone of the retailer.
                 * @example 2026-03-14
                 */
                from?: string;
                /**
                 * @description The last day. The range can have at most 366 days. Defaults to today in the time zone of the retailer.
                 * @example 2026-03-14
                 */
                to?: string;
                /**
                 * @description Only include receipts from the stores with these references or external references, separated by commas.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /**
                 * @description Only include receipts from the tills with these ids, separated by commas.
                 * @example [
                 *       "9b2f3c1e-5a64-4d0e-8f5b-0c1d2e3f4a5b"
                 *     ]
                 */
                till_uuid?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tills": [
                     *         {
                     *           "store_reference": "1",
                     *           "till_uuid": "till-1",
                     *           "first": 1,
                     *           "last": 210,
                     *           "received": 208,
                     *           "missing": [
                     *             {
                     *               "from": 17,
                     *               "to": 18
                     *             }
                     *           ],
                     *           "repeated": 0,
                     *           "restarts": 0
                     *         }
                     *       ],
                     *       "as_of": "2026-03-14T19:05:00.120+00:00"
                     *     }
                     */
                    "application/json": {
                        /** @description One entry for each till with numbered receipts. */
                        tills: {
                            /** @description The reference of the store, as posted. */
                            store_reference: string;
                            /** @description The id of the till; `null` for receipts without one. */
                            till_uuid: string | null;
                            /** @description The lowest number before the first restart. */
                            first: number;
                            /** @description The highest number after the last restart. */
                            last: number;
                            /** @description How many receipts with a number were received, including duplicates, voided and deleted ones. */
                            received: number;
                            /** @description The numbers between `first` and `last` that were not received, at most 100 ranges. */
                            missing: {
                                /** @description The first missing number. */
                                from: number;
                                /** @description The last missing number. */
                                to: number;
                            }[];
                            /**
                             * @description Present if there are more missing ranges.
                             * @constant
                             */
                            more?: true;
                            /** @description How many receipts have a number that another one had before. */
                            repeated: number;
                            /** @description How often the till began again: its number fell by more than 1,000. */
                            restarts: number;
                        }[];
                        as_of: components["schemas"]["ReportTime"];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
    getTills: {
        parameters: {
            query?: {
                /**
                 * @description Only include receipts from the stores with these references or external references, separated by commas.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /**
                 * @description Only include receipts from the tills with these ids, separated by commas.
                 * @example [
                 *       "9b2f3c1e-5a64-4d0e-8f5b-0c1d2e3f4a5b"
                 *     ]
                 */
                till_uuid?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tills": [
                     *         {
                     *           "store_reference": "1",
                     *           "till_uuid": "till-1",
                     *           "last_received": "2026-03-14T19:04:58.120+00:00",
                     *           "last_localtime": "2026-03-14T20:04:51+01:00",
                     *           "receipts_today": 208,
                     *           "failed_packets_today": 1,
                     *           "waiting": 0,
                     *           "agent_version": "1.0.0",
                     *           "clock_difference_s": -1.25
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description One entry for each till. */
                        tills: {
                            /** @description The reference of the store, as the till sends it. */
                            store_reference: string;
                            /** @description The id of the till; `null` for receipts without one. */
                            till_uuid: string | null;
                            /**
                             * Format: date-time
                             * @description When the last receipt or raw data arrived.
                             */
                            last_received: string;
                            /**
                             * Format: date-time
                             * @description The time of its latest sale; `null` if it has only sent duplicates, or no receipt yet.
                             */
                            last_localtime: string | null;
                            /** @description The receipts with a `localtime` of today, without duplicates and voided ones, as in totals. */
                            receipts_today: number;
                            /** @description The raw receipts that arrived today and could not be converted so far. */
                            failed_packets_today: number;
                            /** @description How many further slips its till agent still had to send; `null` without a till agent. */
                            waiting: number | null;
                            /** @description The version of its till agent; `null` without one. */
                            agent_version: string | null;
                            /** @description By how many seconds the clock of its till agent is ahead of the platform, negative if it is behind; `null` without a till agent. */
                            clock_difference_s: number | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
    exportTotals: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zones of the stores. Defaults to today in the time zone of the retailer.
                 * @example 2026-03-14
                 */
                from?: string;
                /**
                 * @description The last day. The range can have at most 366 days. Defaults to today in the time zone of the retailer.
                 * @example 2026-03-14
                 */
                to?: string;
                /**
                 * @description Only include receipts from the stores with these references or external references, separated by commas.
                 * @example [
                 *       "1"
                 *     ]
                 */
                store_reference?: string[];
                /**
                 * @description Only include receipts from the tills with these ids, separated by commas.
                 * @example [
                 *       "9b2f3c1e-5a64-4d0e-8f5b-0c1d2e3f4a5b"
                 *     ]
                 */
                till_uuid?: string[];
                /**
                 * @description What the totals are grouped by, separated by commas: `day`, `store`, `till`, `currency`. Different currencies are never added up, so `currency` only affects the order.
                 * @example [
                 *       "day,store"
                 *     ]
                 */
                group_by?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
    rebuildTotals: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted. */
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
    acceptPacket: {
        parameters: {
            query?: {
                /** @description Whether the receipt is another copy. Defaults to `false`. */
                duplicate?: boolean;
                /**
                 * @description A UUIDv4 of your choice. You can retry a request with the same id and data: the data is converted only once. Different data causes 409.
                 * @example 0f8fad5b-d9cb-469f-a165-70867728950e
                 */
                external_id?: string;
                /**
                 * @description The transaction id of the receipt, if the mapping does not set one.
                 * @example 2026-03-14/17/4711
                 */
                transaction_id?: string;
                /**
                 * @description The store of the receipt, if the mapping does not set one. It is also used to choose the mapping.
                 * @example 1
                 */
                store_reference?: string;
                /**
                 * @description The name of the till. It is used to choose the mapping.
                 * @example 3
                 */
                till_id?: string;
                /**
                 * @description The id of the till, if the mapping does not set one.
                 * @example 7c9e6679-7425-40de-944b-e07fc1f90ae7
                 */
                till_uuid?: string;
                /**
                 * @description The till’s own number of the first receipt, if the mapping does not set one.
                 * @example 17
                 */
                till_sequence?: number;
                /**
                 * @description The source of the data. It is used to choose the mapping.
                 * @example pos-4
                 */
                source_id?: string;
                /**
                 * @description The consumer who owns the receipt, if the mapping does not set one.
                 * @example jane@example.com
                 */
                identifier?: string;
                /**
                 * @description A link from `POST /receipts/_link`. Its page shows the first receipt of the data. A link can be used once.
                 * @example ahzT9pK3dXcQmB2L7fWyEo0R5sVgN8uHiJ4kZxCeDa
                 */
                link?: string;
                /**
                 * @description The id of the mapping to use. Defaults to the best match.
                 * @example vendor-json
                 */
                mapping?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /** @description Whether the receipt is another copy. Defaults to `false`. */
                "service-duplicate"?: boolean;
                /**
                 * @description A UUIDv4 of your choice. You can retry a request with the same id and data: the data is converted only once. Different data causes 409.
                 * @example 0f8fad5b-d9cb-469f-a165-70867728950e
                 */
                "service-external-id"?: string;
                /**
                 * @description The transaction id of the receipt, if the mapping does not set one.
                 * @example 2026-03-14/17/4711
                 */
                "service-transaction-id"?: string;
                /**
                 * @description The store of the receipt, if the mapping does not set one. It is also used to choose the mapping.
                 * @example 1
                 */
                "service-store-reference"?: string;
                /**
                 * @description The name of the till. It is used to choose the mapping.
                 * @example 3
                 */
                "service-till-id"?: string;
                /**
                 * @description The id of the till, if the mapping does not set one.
                 * @example 7c9e6679-7425-40de-944b-e07fc1f90ae7
                 */
                "service-till-uuid"?: string;
                /**
                 * @description The till’s own number of the first receipt, if the mapping does not set one.
                 * @example 17
                 */
                "service-till-sequence"?: number;
                /**
                 * @description The source of the data. It is used to choose the mapping.
                 * @example pos-4
                 */
                "service-source-id"?: string;
                /**
                 * @description The consumer who owns the receipt, if the mapping does not set one.
                 * @example jane@example.com
                 */
                "service-identifier"?: string;
                /**
                 * @description A link from `POST /receipts/_link`. Its page shows the first receipt of the data. A link can be used once.
                 * @example ahzT9pK3dXcQmB2L7fWyEo0R5sVgN8uHiJ4kZxCeDa
                 */
                "service-link"?: string;
                /**
                 * @description The id of the mapping to use. Defaults to the best match.
                 * @example vendor-json
                 */
                "service-mapping"?: string;
                /**
                 * @description The version of the till agent that sends the data.
                 * @example 1.0.0
                 */
                "service-agent-version"?: string;
                /**
                 * @description How many further slips the till agent has to send.
                 * @example 0
                 */
                "service-agent-waiting"?: string;
                /**
                 * @description The time of the till agent’s own clock, ISO 8601 with an offset. It shows tills whose clock is wrong.
                 * @example 2026-03-14T20:04:51+01:00
                 */
                "service-agent-time"?: string;
                /**
                 * @description Links an attachment: `<attachment_id>; label=<label>`. The header may be repeated, or contain several links separated by commas.
                 * @example 6a1f3c2b9d4e5f60718293a4; label=guarantee
                 */
                "service-attachment-id"?: string;
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The request was accepted. */
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
            409: components["responses"]["409-duplicate_external_id-link_taken-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large-body_too_large"];
            414: components["responses"]["414-query_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-schema_validation_failed-attachment_not_found-link_not_found"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    postPosData: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                     * @description When the entry was created at its source, ISO 8601.
                     * @example 2024-05-17T14:03:22+02:00
                     * @example 2024-05-17T14:03:22
                     */
                    source_read: string;
                    /** @description The id of the entry at its source. An entry is converted only once. */
                    entry_id: string;
                    /** @description The store of the entry: its `reference` or its `external_reference`. */
                    store_reference: string | number;
                    /** @description The name of the till that created the entry. */
                    till_id: string;
                    /** @description The id of the till that created the entry. */
                    till_uuid: string;
                    /** @description The raw receipt in base64. */
                    receipt: string;
                    /** @description Whether the entry is another copy of a receipt. Defaults to `false`. */
                    duplicate?: boolean;
                    /** @description A UUIDv4 of your choice, unique per retailer. */
                    external_id?: string;
                    /** @description Files that belong to the receipt, by label. At most 20 files, and 1 MiB of inline data in all. */
                    attachments?: {
                        [key: string]: {
                            /** @description The id of an attachment that `POST /attachments` has stored. Cannot be combined with `data`. */
                            id?: string;
                            /** @description The content of the attachment in base64. Cannot be combined with `id`. */
                            data?: string;
                            /** @description The media type of `data`. Defaults to `application/octet-stream`. */
                            content_type?: string;
                            /** @description A Content-Disposition header, which gives `data` a file name. */
                            content_disposition?: string;
                        } & (unknown | unknown);
                    };
                };
            };
        };
        responses: {
            /** @description The request succeeded. The response has no body. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header: {
                /**
                 * @description The name of the file: `attachment; filename=<name>`.
                 * @example attachment; filename=guarantee.pdf
                 */
                "content-disposition": string;
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the attachment. */
                        id: string;
                        /** @description The path of the content, relative to the base URL. */
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
            413: components["responses"]["413-headers_too_large-body_too_large"];
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
                 * @description The id of the attachment.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            410: components["responses"]["410-attachment_deleted"];
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
                /** @description Only return packets with this status. */
                status?: "accepted" | "converted" | "failed";
                /** @description Only return packets that failed for this reason. */
                reason?: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                /** @description The maximum number of packets per page. */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The packets of this page, newest first. */
                        packets: components["schemas"]["PacketView"][];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                 * @description Only return packets of this retailer.
                 * @example demo
                 */
                retailer?: string;
                /** @description Only return packets that failed for this reason. */
                reason?: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                /**
                 * @description The maximum number of packets that are returned in full. Defaults to 20.
                 * @example 20
                 */
                count?: number;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The groups, largest first. */
                        groups: {
                            /** @description The id of the retailer that owns the packets. */
                            retailer: string;
                            /**
                             * @description Why the conversion failed.
                             * @enum {string}
                             */
                            reason: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                            /** @description The id of the mapping that failed; `null` if none was chosen. */
                            mapping: string | null;
                            /** @description The number of failed packets in the group. */
                            packets: number;
                            /**
                             * Format: date-time
                             * @description When the oldest packet of the group arrived.
                             */
                            oldest_timestamp: string;
                            /**
                             * Format: date-time
                             * @description When the newest packet of the group arrived.
                             */
                            newest_timestamp: string;
                            /** @description The id of the newest packet of the group. Use it to try a mapping. */
                            newest_packet: string;
                        }[];
                        /** @description Whether all failed packets were counted. */
                        is_complete: boolean;
                        /** @description The newest failed packets in full. */
                        packets: {
                            /** @description The id of the packet. */
                            id: string;
                            /** @description The id of the first receipt of the packet, reserved when the packet was accepted. */
                            receipt_id: string;
                            /** @description The media type of the raw data, as sent. */
                            content_type: string | null;
                            /** @description The size of the raw data in bytes. */
                            size: number;
                            metadata: components["schemas"]["PacketMetadata"];
                            /** @description Whether the packet was marked as another copy of a receipt. */
                            duplicate: boolean;
                            /**
                             * @description `accepted` until the packet is `converted` or the conversion has `failed`.
                             * @enum {string}
                             */
                            status: "accepted" | "converted" | "failed";
                            /** @description Why the conversion failed; `null` if it did not fail. */
                            reason: ("no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed") | null;
                            /** @description The errors of a failed conversion. */
                            errors: components["schemas"]["PacketFault"][];
                            /** @description When the packet arrived. */
                            received_timestamp: string;
                            /** @description When the packet last changed. */
                            updated_timestamp: string;
                            /** @description The number of attempts to convert the packet. */
                            attempts: number;
                            /** @description The mapping that was used last; `null` if none was chosen. */
                            mapping: components["schemas"]["MappingVersion"] | null;
                            /** @description The free-form properties sent with the data. */
                            properties: {
                                [key: string]: string;
                            };
                            /** @description The ids of all receipts of the packet. */
                            receipt_ids: string[];
                            /** @description The id of the retailer that owns the packets. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the packet, or of a receipt that it was converted into.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                 * @description The id of the packet, or of a receipt that it was converted into.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
            404: components["responses"]["404-packet_not_found"];
            408: components["responses"]["408-request_timeout"];
            410: components["responses"]["410-packet_deleted"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the packet, or of a receipt that it was converted into.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
            404: components["responses"]["404-packet_not_found"];
            408: components["responses"]["408-request_timeout"];
            409: components["responses"]["409-packet_converted-conflict-idempotency_mismatch"];
            413: components["responses"]["413-headers_too_large"];
            414: components["responses"]["414-query_too_large"];
            417: components["responses"]["417-expectation_failed"];
            422: components["responses"]["422-packet_deleted"];
            429: components["responses"]["429-rate_limited"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    reprocessPackets: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                     * @description Only convert packets that failed for this reason.
                     * @enum {string}
                     */
                    reason?: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                    /** @description Only convert packets that failed with this mapping. */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of packets that will be converted again. */
                        count: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The id of the receipt to send. Cannot be combined with `transaction_id`. */
                    id?: string;
                    /** @description The transaction id of the receipt to send. Cannot be combined with `id`. */
                    transaction_id?: string;
                    /** @description The channels over which the receipt is sent: `email`, `sms`, `whatsapp`. */
                    channels: string[];
                    /**
                     * @description The e-mail address to use instead of the address on the receipt. A plain address (RFC 5321) without quotes or comments; the domain may be internationalized.
                     * @example jo@demo.example
                     */
                    email_address?: string;
                    /**
                     * @description The phone number to use instead of the number on the receipt, with 6 to 15 digits.
                     * @example +33 6 12 34 56 78
                     */
                    phone_number?: string;
                    /** @description Whether to return the available channels and addresses without sending. Defaults to `false`. */
                    resolve?: boolean;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The request succeeded. */
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
                        /** @description The id of the receipt. */
                        id: string;
                        /** @description The channels over which the receipt can be sent. */
                        channels: ("email" | "sms" | "whatsapp")[];
                        /** @description The e-mail address to which it would be sent; `null` if there is none. */
                        email_address: string | null;
                        /** @description The phone number to which it would be sent; `null` if there is none. */
                        phone_number: string | null;
                    } | {
                        /** @description The id of the receipt. */
                        id: string;
                    };
                };
            };
            /** @description The request was accepted. */
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
                        /** @description The id of the receipt. */
                        id: string;
                        /** @description The channels over which the receipt can be sent. */
                        channels: ("email" | "sms" | "whatsapp")[];
                        /** @description The e-mail address to which it would be sent; `null` if there is none. */
                        email_address: string | null;
                        /** @description The phone number to which it would be sent; `null` if there is none. */
                        phone_number: string | null;
                    } | {
                        /** @description The id of the receipt. */
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
            422: components["responses"]["422-receipt_not_found-receipt_voided-channel_not_available-schema_validation_failed-too_many"];
            429: components["responses"]["429-rate_limited-3"];
            500: components["responses"]["500-internal_error"];
            503: components["responses"]["503-unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The deliveries of the receipt, newest first. */
                        deliveries: {
                            /** @description The id of the delivery. */
                            id: string;
                            /**
                             * @description The channel over which the receipt is sent.
                             * @enum {string}
                             */
                            channel: "email" | "sms" | "whatsapp";
                            /** @description The address or number, masked, such as `j***@example.com`. */
                            address: string;
                            /**
                             * @description `pending` until the channel has accepted the receipt (`sent`) or all attempts have failed (`failed`). `suppressed` if the receipt must not be sent.
                             * @enum {string}
                             */
                            status: "pending" | "sent" | "failed" | "suppressed";
                            /** @description Why the delivery failed, was suppressed or has to be retried; `null` otherwise. */
                            reason: string | null;
                            /** @description The number of attempts to send the receipt. */
                            attempts: number;
                            /** @description When the delivery was requested. */
                            requested_timestamp: string;
                            /** @description When the delivery last changed. */
                            updated_timestamp: string;
                            /** @description When the message reached the consumer. Absent if the channel, such as e-mail, does not report it. */
                            delivered_timestamp?: string;
                        }[];
                        /** @description The checks of each channel that decide whether the receipt can be sent now. */
                        explain: {
                            /**
                             * @description The channel that was checked.
                             * @enum {string}
                             */
                            channel: "email" | "sms" | "whatsapp";
                            /** @description The check: settings, opt-outs, address or availability, in this order. */
                            step: string;
                            /** @description Whether the channel has passed the check. */
                            passed: boolean;
                            /** @description The result of the check in words. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The groups, largest first. */
                        groups: {
                            /** @description The id of the retailer that owns the deliveries. */
                            retailer: string;
                            /**
                             * @description The channel over which the receipt is sent.
                             * @enum {string}
                             */
                            channel: "email" | "sms" | "whatsapp";
                            /** @description Why the last attempt failed; `null` if there has been no attempt yet. */
                            reason: string | null;
                            /** @description The number of pending deliveries in the group. */
                            deliveries: number;
                            /** @description The highest number of attempts among these deliveries. */
                            attempts: number;
                            /**
                             * Format: date-time
                             * @description When the oldest of these deliveries was requested.
                             */
                            oldest_timestamp: string;
                            /**
                             * Format: date-time
                             * @description When the next attempt of one of these deliveries is due.
                             */
                            next_attempt_timestamp: string;
                            /** @description The id of the receipt of the oldest delivery. */
                            oldest_receipt: string;
                        }[];
                        /** @description Whether all pending deliveries were counted. */
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
                 * @description The kind of request, always `subscribe`.
                 * @example subscribe
                 */
                "hub.mode"?: string;
                /**
                 * @description The verify token that was entered in the settings of the app.
                 * @example word
                 */
                "hub.verify_token"?: string;
                /**
                 * @description The text that the response must contain.
                 * @example 1158201444
                 */
                "hub.challenge"?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The name of the provider account, as set in the configuration.
                 * @example messages
                 */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            403: components["responses"]["403-invalid_signature"];
            404: components["responses"]["404-not_found-2"];
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
    receiveChannelReport: {
        parameters: {
            query?: {
                /**
                 * @description The id of the message, which the platform added to the callback URL.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                ref?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The signature of Twilio: HMAC-SHA1 over the URL and the fields, in base64.
                 * @example RSOYDt4T1cUTdK1PDd93/VVr8B8=
                 */
                "x-twilio-signature"?: string;
                /**
                 * @description The signature of Meta: `sha256=` and the HMAC-SHA256 over the body, in hexadecimal digits.
                 * @example sha256=7d38cdd689735b008b3c702edd92eea23791c5f6
                 */
                "x-hub-signature-256"?: string;
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The name of the provider account, as set in the configuration.
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
            /** @description The request succeeded. */
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
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    getReceiptLinks: {
        parameters: {
            query?: {
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The new links; `null` if the request is a retry with the same `Idempotency-Key`. */
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
    showReceiptCsv: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The program that sends the request. Used to distinguish people from programs.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` if the browser loads the page in advance.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-not_an_invoice-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptEkabs: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The program that sends the request. Used to distinguish people from programs.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` if the browser loads the page in advance.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-not_an_invoice-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptJson: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The program that sends the request. Used to distinguish people from programs.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` if the browser loads the page in advance.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-not_an_invoice-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptUbl: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The program that sends the request. Used to distinguish people from programs.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` if the browser loads the page in advance.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            422: components["responses"]["422-not_an_invoice-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceipt: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
                 */
                lang?: string;
                /** @description With `json`, the response is `{status}` as JSON, `waiting` until the receipt of a reserved link exists, then `ready`. */
                format?: "json";
            };
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The language that the reader has chosen before.
                 * @example receipt-language=fr
                 */
                cookie?: string;
                /**
                 * @description The `ETag` of the browser’s cached page. If it is still valid, the response is 304.
                 * @example "3"
                 */
                "if-none-match"?: string;
                /**
                 * @description The program that sends the request. Used to distinguish people from programs.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` if the browser loads the page in advance.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/plain": string;
                    "application/json": {
                        /**
                         * @description `waiting` until the receipt of a reserved link exists, then `ready`.
                         * @enum {string}
                         */
                        status: "waiting" | "ready";
                    };
                };
            };
            /** @description The cached page is still valid. */
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
            410: components["responses"]["410-receipt_deleted-2"];
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
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
                 */
                lang?: string;
                /** @description The paper format: A4, or a receipt roll of 80 mm. */
                format?: "a4" | "roll";
            };
            header?: {
                /**
                 * @description The languages that the reader prefers.
                 * @example fr-FR, en;q=0.8
                 */
                "accept-language"?: string;
                /**
                 * @description The program that sends the request. Used to distinguish people from programs.
                 * @example Mozilla/5.0
                 */
                "user-agent"?: string;
                /**
                 * @description `prefetch` if the browser loads the page in advance.
                 * @example prefetch
                 */
                "sec-purpose"?: string;
            };
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptPass: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
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
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apple.pkpass": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found-pass_not_available"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
                /**
                 * @description The label of the attachment.
                 * @example warranty
                 */
                label: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found-attachment_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showReceiptQr: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showGiftReceipt: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
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
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            410: components["responses"]["410-gift_ended-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showGiftReceiptPdf: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
                 */
                lang?: string;
                /** @description The paper format: A4, or a receipt roll of 80 mm. */
                format?: "a4" | "roll";
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
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            410: components["responses"]["410-gift_ended-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    showGiftReceiptQr: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            410: components["responses"]["410-gift_ended-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    getReceiptProof: {
        parameters: {
            query?: {
                /**
                 * @description Restricts the request to the consumer with these identifiers, separated by commas.
                 * @example [
                 *       "jane@example.com"
                 *     ]
                 */
                consumer?: string[];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the receipt.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/jose": string;
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
    showReceiptProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/jose": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            406: components["responses"]["406-not_acceptable-2"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-processing_pending-2"];
            410: components["responses"]["410-receipt_deleted-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The public keys, the current key first. */
                        keys: {
                            /**
                             * @description The type of the key.
                             * @constant
                             */
                            kty: "EC";
                            /**
                             * @description The curve of the key.
                             * @constant
                             */
                            crv: "P-256";
                            /** @description The x coordinate of the key. */
                            x: string;
                            /** @description The y coordinate of the key. */
                            y: string;
                            /** @description The id of the key, as in the header of a proof. */
                            kid: string;
                            /**
                             * @description The algorithm of the key.
                             * @constant
                             */
                            alg: "ES256";
                            /**
                             * @description The use of the key: `sig`, for signatures.
                             * @constant
                             */
                            use: "sig";
                        }[];
                    };
                };
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
    rotateSigningKeys: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the new key. */
                        kid: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied"];
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
    showVerification: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
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
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
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
    verifyProof: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
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
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/jose": string;
                "application/json": {
                    /** @description The proof, a compact JWS. */
                    proof: string;
                    /** @description The receipt as `GET /receipts/{id}` returns it. */
                    receipt?: {
                        [key: string]: unknown;
                    };
                };
                "application/x-www-form-urlencoded": {
                    /** @description The proof, or JSON `{proof, receipt}`. */
                    proof?: string;
                    /** @description The receipt as JSON. */
                    receipt?: string;
                };
                "multipart/form-data": {
                    /** @description The proof, or JSON `{proof, receipt}`. */
                    proof?: string;
                    /** @description The receipt as JSON. */
                    receipt?: string;
                    /** @description A file with the proof, such as the PDF of the receipt, or with JSON `{proof, receipt}`. */
                    file?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": {
                        /** @description Whether the proof is genuine and belongs to the receipt, if one was sent. */
                        valid: boolean;
                        /**
                         * @description Why the proof is not valid, or why it is no longer current.
                         * @enum {string}
                         */
                        reason?: "malformed" | "unknown_key" | "invalid_signature" | "receipt_mismatch" | "changed" | "voided" | "deleted";
                        /** @description The claims of the proof about its receipt. */
                        payload?: {
                            /** @description The public URL of the platform that issued the proof. */
                            iss: string;
                            /** @description The id of the receipt that the proof describes. */
                            sub: string;
                            /** @description When the proof was issued, in seconds since 1970-01-01T00:00:00Z. */
                            iat: number;
                            /** @description The retailer that issued the receipt. */
                            retailer: {
                                /** @description The name of the retailer. */
                                name: string;
                                /** @description The VAT number of the retailer. */
                                vatno: string | null;
                            };
                            /** @description The retailer's number for the sale. */
                            transaction_id: string;
                            /** @description When the sale took place, in UTC. */
                            timestamp: string;
                            /** @description When the sale took place, in its time zone. */
                            localtime: string;
                            /** @description The currency of the receipt, ISO 4217. */
                            currency: string;
                            /** @description The total of the receipt. */
                            total: number;
                            /** @description The taxes on the whole receipt. */
                            taxes: {
                                /** @description The name of the tax. */
                                name: string;
                                /** @description The rate in percent. */
                                rate: number | null;
                                /** @description The amount of the tax. */
                                amount: number;
                            }[];
                            /** @description The number of items. */
                            items_count: number;
                            /** @description The store of the sale. */
                            store: {
                                /** @description The name of the store. */
                                name: string | null;
                                /** @description The city of the store. */
                                city: string | null;
                                /** @description The country of the store. */
                                country: string | null;
                            };
                            /** @description The SHA-256 digest of the canonical JSON (RFC 8785) of the receipt, in base64url. */
                            sha256: string;
                        };
                        /** @description Whether the receipt has not been changed, voided or deleted since the proof was issued. `null` if the proof is not valid. */
                        current: boolean | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-2"];
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
    showUnsubscribe: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
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
                 * @description The secret token of the link.
                 * @example Q2hhbmdlTWU
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            413: components["responses"]["413-headers_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    unsubscribe: {
        parameters: {
            query?: {
                /**
                 * @description The language to use, an RFC 5646 language tag. Takes precedence over `Accept-Language`.
                 * @example fr-FR
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
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The secret token of the link.
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
            /** @description The request succeeded. */
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
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-link_not_found"];
            408: components["responses"]["408-request_timeout-2"];
            409: components["responses"]["409-idempotency_mismatch-2"];
            413: components["responses"]["413-headers_too_large-body_too_large-2"];
            414: components["responses"]["414-query_too_large-2"];
            415: components["responses"]["415-unsupported_media_type-2"];
            417: components["responses"]["417-expectation_failed-2"];
            429: components["responses"]["429-rate_limited-4"];
            500: components["responses"]["500-internal_error-2"];
            503: components["responses"]["503-unavailable-2"];
        };
    };
    catchUpDeliveries: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The request was accepted. */
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
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                            /** @description Your own note about the endpoint. */
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
                             * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.
                             * @enum {string}
                             */
                            ordering: "none" | "subject";
                            /** @description `false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`. */
                            enabled: boolean;
                            /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                            disabled_reason: ("gone" | "failing" | "invalid_filter") | null;
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
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The resource was created. */
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
                        /** @description Your own note about the endpoint. */
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
                         * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.
                         * @enum {string}
                         */
                        ordering: "none" | "subject";
                        /** @description `false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`. */
                        enabled: boolean;
                        /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                        disabled_reason: ("gone" | "failing" | "invalid_filter") | null;
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
                         * @description The signing secret (Standard Webhooks): `whsec_` and the key in base64. It is shown only once; `null` in the response to a retry.
                         * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8mW6Vn2WJ0I=
                         */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                        /** @description Your own note about the endpoint. */
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
                         * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.
                         * @enum {string}
                         */
                        ordering: "none" | "subject";
                        /** @description `false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`. */
                        enabled: boolean;
                        /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                        disabled_reason: ("gone" | "failing" | "invalid_filter") | null;
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the webhook endpoint.
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
                    /** @description Your own note about the endpoint. */
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
                     * @description A query in the search language. Receipt events are sent only if their receipt matches it; other events are not filtered. An event that does not contain the receipt is matched against the receipt's current state. `receipt.deleted` is always sent.
                     * @example +total:[100 TO *] -items.return:*
                     */
                    filter?: string | null;
                    /**
                     * @description `thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.
                     * @enum {string}
                     */
                    payload?: "thin" | "full";
                    /**
                     * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.
                     * @enum {string}
                     */
                    ordering?: "none" | "subject";
                    /** @description `false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`. */
                    enabled?: boolean;
                };
                "application/json-patch+json": unknown;
            };
        };
        responses: {
            /** @description The request succeeded. */
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
                        /** @description Your own note about the endpoint. */
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
                         * @description `none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.
                         * @enum {string}
                         */
                        ordering: "none" | "subject";
                        /** @description `false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`. */
                        enabled: boolean;
                        /** @description Why the platform has disabled the endpoint; `null` if it has not. */
                        disabled_reason: ("gone" | "failing" | "invalid_filter") | null;
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The signing secret (Standard Webhooks): `whsec_` and the key in base64. It is shown only once; `null` in the response to a retry.
                         * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8mW6Vn2WJ0I=
                         */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Only return deliveries with this status. */
                status?: "pending" | "succeeded" | "failed";
                /**
                 * @description Only return deliveries of events of this type or glob.
                 * @example receipt.created
                 */
                type?: string;
                /**
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                             * @description `pending` until the receiver has accepted the event (`succeeded`) or the last attempt has failed (`failed`).
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
                                /** @description The duration of the attempt in milliseconds. */
                                duration_ms: number;
                                /** @description The result of the attempt: `succeeded`, `status` (not a 2xx), `redirected`, `timeout`, `unreachable`, `address_refused` or `invalid_response`. */
                                outcome: string;
                                /** @description The code of the network error, such as `ECONNREFUSED`; `null` if the receiver responded. */
                                error: string | null;
                                /** @description The request without its body. */
                                request: {
                                    /** @description The URL to which the event was posted. */
                                    url: string;
                                    /** @description The headers that were sent, keyed by lower-case name. */
                                    headers: {
                                        [key: string]: string;
                                    };
                                };
                                /** @description The response of the receiver; `null` if there was none. */
                                response: {
                                    /** @description The HTTP status code that the receiver returned. */
                                    status: number;
                                    /** @description The headers that the receiver returned, keyed by lower-case name. */
                                    headers: {
                                        [key: string]: string;
                                    };
                                    /** @description The first 4 KiB of the response body. The result does not depend on it. */
                                    body: string;
                                } | null;
                            }[];
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the webhook delivery.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the webhook endpoint.
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
                     * @description The time from which events are sent again. A time without an offset is UTC.
                     */
                    since: string;
                    /**
                     * @description Only send events whose delivery has this status.
                     * @enum {string}
                     */
                    status?: "pending" | "succeeded" | "failed";
                };
            };
        };
        responses: {
            /** @description The request was accepted. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Failing endpoints, longest failing first, followed by disabled endpoints, most recently disabled first. */
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
                            disabled_reason: ("gone" | "failing" | "invalid_filter") | null;
                            /** @description When the platform disabled the endpoint; `null` if it has not. */
                            disabled_timestamp: string | null;
                            /** @description The number of pending deliveries, counted up to 1,000. */
                            pending: number;
                            /** @description Why the most recent attempt failed; `null` if there was none. */
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
                 * @description The cursor after which the page starts, taken from `_links.next`.
                 * @example 1042
                 */
                after?: string;
                /**
                 * @description Only return events of these types or globs, separated by commas.
                 * @example [
                 *       "receipt.*"
                 *     ]
                 */
                types?: string[];
                /**
                 * @description How long to wait for an event if there is none, in seconds. Defaults to 0.
                 * @example 30
                 */
                wait?: number;
                /**
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The events of this page, oldest first. */
                        events: components["schemas"]["CloudEvent"][];
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                        identifier: string;
                        /** @description When the identifier was created. */
                        created_timestamp: string;
                        /** @description When the identifier last changed. */
                        updated_timestamp: string;
                        /** @description When the consumer last changed in your own system, ISO 8601. */
                        source_updated_timestamp: string | null;
                        /** @description Totals of the receipts of the consumer; empty before the first receipt. Duplicates are excluded. */
                        summary: Record<string, never> | {
                            /** @description The number of receipts. */
                            receipts: number;
                            /** @description The sum of the totals of the receipts in `currency`, in decimal arithmetic. */
                            total: number;
                            /** @description The currency of `total`, an ISO 4217 code. */
                            currency: string;
                            /** @description When the first receipt was issued. */
                            first_receipt_timestamp: string;
                            /** @description When the last receipt was issued. */
                            last_receipt_timestamp: string;
                        };
                        /** @description Data about the consumer. Free-form, except for the members listed here. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
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
                    /** @description The properties to set. Other properties stay unchanged. */
                    properties: {
                        /** @description The lines of the street address of the consumer. */
                        address?: string[];
                        /**
                         * Format: date
                         * @description The date of birth, `YYYY-MM-DD`.
                         */
                        birthdate?: string | null;
                        /** @description The city of the consumer. */
                        city?: string;
                        /** @description The e-mail address to which receipts without an address are sent. */
                        email?: string;
                        /** @description The gender, in your own terms. */
                        gender?: string;
                        /** @description The name of the consumer. */
                        name?: {
                            /** @description The title, such as `Dr`. */
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
                        /** @description The opt-out tags of the consumer: `receipts` stops receipts from being sent on arrival. */
                        "opt-out"?: string[];
                        /** @description The phone number to which receipts without a number are sent. */
                        phone?: string;
                        /** @description The postcode of the consumer. */
                        postcode?: string;
                        /** @description The house number of the consumer. */
                        house_number?: string;
                        /** @description Tags to add to `opt-out`. Cannot be combined with `opt-out`. */
                        "opt-out+="?: string[];
                        /** @description Tags to remove from `opt-out`. Cannot be combined with `opt-out`. */
                        "opt-out-="?: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The request succeeded. The response has no body. */
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
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The identifiers of this page, most recently updated first. */
                        identifiers: {
                            /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                            identifier: string;
                            /** @description When the identifier was created. */
                            created_timestamp: string;
                            /** @description When the identifier last changed. */
                            updated_timestamp: string;
                            /** @description When the consumer last changed in your own system, ISO 8601. */
                            source_updated_timestamp: string | null;
                            /** @description Totals of the receipts of the consumer; empty before the first receipt. Duplicates are excluded. */
                            summary: Record<string, never> | {
                                /** @description The number of receipts. */
                                receipts: number;
                                /** @description The sum of the totals of the receipts in `currency`, in decimal arithmetic. */
                                total: number;
                                /** @description The currency of `total`, an ISO 4217 code. */
                                currency: string;
                                /** @description When the first receipt was issued. */
                                first_receipt_timestamp: string;
                                /** @description When the last receipt was issued. */
                                last_receipt_timestamp: string;
                            };
                            /** @description Data about the consumer. Free-form, except for the members listed here. */
                            properties: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                    identifier: string;
                    /**
                     * Format: date-time
                     * @description When the consumer last changed in your own system, ISO 8601.
                     */
                    source_updated_timestamp?: string;
                    /** @description Data about the consumer. Free-form, except for the members listed here. */
                    properties?: {
                        /** @description The lines of the street address of the consumer. */
                        address?: string[];
                        /**
                         * Format: date
                         * @description The date of birth, `YYYY-MM-DD`.
                         */
                        birthdate?: string | null;
                        /** @description The city of the consumer. */
                        city?: string;
                        /** @description The e-mail address to which receipts without an address are sent. */
                        email?: string;
                        /** @description The gender, in your own terms. */
                        gender?: string;
                        /** @description The name of the consumer. */
                        name?: {
                            /** @description The title, such as `Dr`. */
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
                        /** @description The opt-out tags of the consumer: `receipts` stops receipts from being sent on arrival. */
                        "opt-out"?: string[];
                        /** @description The phone number to which receipts without a number are sent. */
                        phone?: string;
                        /** @description The postcode of the consumer. */
                        postcode?: string;
                        /** @description The house number of the consumer. */
                        house_number?: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                        identifier: string;
                        /** @description When the identifier was created. */
                        created_timestamp: string;
                        /** @description When the identifier last changed. */
                        updated_timestamp: string;
                        /** @description When the consumer last changed in your own system, ISO 8601. */
                        source_updated_timestamp: string | null;
                        /** @description Totals of the receipts of the consumer; empty before the first receipt. Duplicates are excluded. */
                        summary: Record<string, never> | {
                            /** @description The number of receipts. */
                            receipts: number;
                            /** @description The sum of the totals of the receipts in `currency`, in decimal arithmetic. */
                            total: number;
                            /** @description The currency of `total`, an ISO 4217 code. */
                            currency: string;
                            /** @description When the first receipt was issued. */
                            first_receipt_timestamp: string;
                            /** @description When the last receipt was issued. */
                            last_receipt_timestamp: string;
                        };
                        /** @description Data about the consumer. Free-form, except for the members listed here. */
                        properties: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch"];
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
                 * @description The query in the search language: conditions `field:value`, separated by spaces.
                 * @example properties.name.last:smith +properties.city.exact:London
                 */
                query: string;
                /** @description The maximum number of results per page. */
                count?: number;
                /** @description The number of results to skip before the page. */
                offset?: number;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                        /** @description The total number of results. */
                        hits: number;
                        /**
                         * @description `eq` if all results were counted; `at_least` if counting took too long and there are more.
                         * @enum {string}
                         */
                        hits_relation: "eq" | "at_least";
                        /** @description How long the search took, in milliseconds. */
                        time: number;
                        /** @description The matching identifiers on this page, best match first. */
                        identifiers: {
                            /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                            identifier: string;
                            /** @description When the identifier was created. */
                            created_timestamp: string;
                            /** @description When the identifier last changed. */
                            updated_timestamp: string;
                            /** @description When the consumer last changed in your own system, ISO 8601. */
                            source_updated_timestamp: string | null;
                            /** @description Totals of the receipts of the consumer; empty before the first receipt. Duplicates are excluded. */
                            summary: Record<string, never> | {
                                /** @description The number of receipts. */
                                receipts: number;
                                /** @description The sum of the totals of the receipts in `currency`, in decimal arithmetic. */
                                total: number;
                                /** @description The currency of `total`, an ISO 4217 code. */
                                currency: string;
                                /** @description When the first receipt was issued. */
                                first_receipt_timestamp: string;
                                /** @description When the last receipt was issued. */
                                last_receipt_timestamp: string;
                            };
                            /** @description Data about the consumer. Free-form, except for the members listed here. */
                            properties: {
                                [key: string]: unknown;
                            };
                        }[];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The e-mail address to validate. */
                    identifier: string;
                    /** @description The maximum duration of the validation in seconds. Defaults to 6. */
                    timeout?: number;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
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
                         * @description `invalid` if e-mail to the address certainly cannot be delivered.
                         * @enum {string}
                         */
                        status: "valid" | "invalid";
                        /** @description The provider that validated the address, such as `local`. */
                        provider: string;
                        /** @description Suggested corrections of the address. */
                        suggestions: string[];
                        /** @description The findings in detail. */
                        details: {
                            /** @description Whether the domain accepts e-mail for every address. */
                            accept_all: boolean;
                            /** @description The suggested correction of the address; `null` if there is none. */
                            did_you_mean: string | null;
                            /** @description Whether the domain provides disposable addresses. */
                            disposable: boolean;
                            /** @description The domain of the address. */
                            domain: string;
                            /** @description The normalised address. */
                            email: string;
                            /** @description Whether the domain belongs to a free e-mail provider. */
                            free: boolean;
                            /** @description Further information from the provider, if there is any. */
                            message: string | null;
                            /**
                             * @description Why the validation has this result.
                             * @enum {string}
                             */
                            reason: "invalid_email" | "invalid_domain" | "rejected_email" | "accepted_email" | "low_quality" | "low_deliverability" | "no_connect" | "timeout" | "unavailable_smtp" | "unexpected_error";
                            /**
                             * @description Whether e-mail to the address can be delivered.
                             * @enum {string}
                             */
                            result: "deliverable" | "undeliverable" | "risky" | "unknown";
                            /** @description Whether the address belongs to a role, such as `info`, instead of a person. */
                            role: boolean;
                            /** @description The quality of the address, rounded: 0 (bad) or 1 (good). */
                            sendex: number;
                            /** @description Whether the provider could validate the address. */
                            success: boolean;
                            /** @description The part of the address before the `@`. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The request was accepted. */
            202: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request succeeded. The response has no body. */
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
                 * @description The cursor of the next part, taken from the header `Link` of the previous part.
                 * @example reward-17
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
            /** @description The request succeeded. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description Whether to read all receipts again, instead of only new receipts. Defaults to `false`. */
                    from_start?: boolean;
                };
            };
        };
        responses: {
            /** @description The request was accepted. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                "application/json": components["schemas"]["CardWithCode"];
            };
        };
        responses: {
            /** @description The request succeeded. The response has no body. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
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
            /** @description The request succeeded. */
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
                        /** @description The number of new cards. */
                        imported: number;
                        /** @description The number of existing cards whose code was replaced. */
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
                 * @description Only return rewards of the consumer with this identifier. The identifier may contain commas.
                 * @example jane@example.com
                 */
                consumer?: string;
                /**
                 * @description Only return rewards that were issued at or after this time, ISO 8601.
                 * @example 2026-03-01T00:00:00Z
                 */
                from_timestamp?: string;
                /**
                 * @description Only return rewards that were issued at or before this time, ISO 8601.
                 * @example 2026-03-01T00:00:00Z
                 */
                to_timestamp?: string;
                /** @description Only return claimed (`true`) or unclaimed (`false`) rewards. */
                claimed?: "all" | "true" | "false";
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the loyalty programme, from the retailer setting `loyalty`.
                 * @example 1
                 */
                program_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                        /** @description The id of the reward. */
                        id: number;
                        /** @description The consumer who earned the reward. */
                        identifier: string;
                        /** @description The name of the reward. */
                        name: string;
                        /** @description Whether the consumer has claimed the reward. */
                        claimed: boolean;
                        /** @description The value of the reward, as the programme defines it. */
                        value: number;
                        /**
                         * Format: date-time
                         * @description When the reward was issued.
                         */
                        timestamp: string;
                        /**
                         * Format: date-time
                         * @description When the receipt that earned the reward was issued.
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
                 * @description Only return rewards of the consumer with this identifier. The identifier may contain commas.
                 * @example jane@example.com
                 */
                consumer?: string;
                /**
                 * @description Only return rewards that were issued at or after this time, ISO 8601.
                 * @example 2026-03-01T00:00:00Z
                 */
                from_timestamp?: string;
                /**
                 * @description Only return rewards that were issued at or before this time, ISO 8601.
                 * @example 2026-03-01T00:00:00Z
                 */
                to_timestamp?: string;
                /** @description Only return claimed (`true`) or unclaimed (`false`) rewards. */
                claimed?: "all" | "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description The id of the loyalty programme, from the retailer setting `loyalty`.
                 * @example 1
                 */
                program_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The retailers of this page, newest first. */
                        retailers: {
                            /** @description The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes. */
                            id: string;
                            /** @description The name of the retailer, shown on receipts. */
                            name: string;
                            /** @description The VAT number of the retailer, shown on receipts. */
                            vatno: string | null;
                            settings: components["schemas"]["RetailerSettingsAnswer"];
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes. */
                    id: string;
                    /** @description The name of the retailer, shown on receipts. */
                    name: string;
                    /** @description The VAT number of the retailer, shown on receipts. */
                    vatno?: string | null;
                    settings?: components["schemas"]["RetailerSettings"];
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes. */
                        id: string;
                        /** @description The name of the retailer, shown on receipts. */
                        name: string;
                        /** @description The VAT number of the retailer, shown on receipts. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes. */
                        id: string;
                        /** @description The name of the retailer, shown on receipts. */
                        name: string;
                        /** @description The VAT number of the retailer, shown on receipts. */
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
                /** @description Whether to make a change that webhook endpoints depend on, and to disable these endpoints. Defaults to `false`. */
                force?: boolean;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes. */
                        id: string;
                        /** @description The name of the retailer, shown on receipts. */
                        name: string;
                        /** @description The VAT number of the retailer, shown on receipts. */
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
            409: components["responses"]["409-setting_in_use-patch_test_failed-conflict"];
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
    showLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the logo.
                 * @example mP9pXwGmE4fyOQY2
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-2"];
            404: components["responses"]["404-logo_not_found"];
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
    createFirstClient: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
                 */
                id: string;
                /** @description How the client authenticates: `bearer` tokens or `hmac` URL signatures. */
                authentication: "bearer" | "hmac";
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
                    /** @description Whether the response is indented for readability. Defaults to `false`. */
                    pretty?: boolean;
                    /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                    permissions: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
                    /** @description A note that helps you tell your clients apart. */
                    description: string;
                    /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                    revoked?: boolean;
                    /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                    key?: string;
                    /** @description The shared secret in base64. Generated if it is missing. */
                    secret?: string;
                    /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                    signature_max_age?: number;
                    /** @description Settings that change how endpoints respond to the client. */
                    settings?: {
                        /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                        consumer_required?: boolean;
                        /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                        assign_returns_receipt?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A note that helps you tell your clients apart. */
                        description: string;
                        /** @description The id of the client, unique among those with the same authentication. */
                        id: number;
                        /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                        key: string;
                        /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                        permissions: string[];
                        /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                        revoked: boolean;
                        /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                        signature_max_age?: number;
                        /** @description Settings that change how endpoints respond to the client. */
                        settings: {
                            /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                            consumer_required?: boolean;
                            /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                            assign_returns_receipt?: boolean;
                        };
                        /** @description The shared secret in base64, returned only once; `null` if the request is a retry with the same `Idempotency-Key`. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The subscriptions of the retailer, sorted by name. */
                        subscriptions: {
                            /** @description The name of the subscription, unique per retailer. */
                            name: string;
                            /** @description The event types or globs that the queue receives. */
                            types: string[];
                            /** @description The routing keys with which the queue is bound. */
                            routing_keys: string[];
                            /** @description The name of the queue to consume from. It exists already; do not declare it. */
                            queue: string;
                            /**
                             * @description The URL of the broker, with its virtual host and without credentials.
                             * @example amqps://broker.example:5671/
                             */
                            url: string;
                            /** @description The RabbitMQ user that can consume from the queue. */
                            user: string;
                            /**
                             * @description `incomplete` if the creation was interrupted: post the subscription again, or delete it.
                             * @enum {string}
                             */
                            status: "ready" | "incomplete";
                            /**
                             * Format: date-time
                             * @description When the subscription was created.
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
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
                     * @description The name of the subscription, unique per retailer: lower-case letters, digits and hyphens.
                     * @example warehouse
                     */
                    name: string;
                    /**
                     * @description The event types to receive, or globs in which `*` matches any characters. Defaults to all events.
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
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The name of the subscription, unique per retailer. */
                        name: string;
                        /** @description The event types or globs that the queue receives. */
                        types: string[];
                        /** @description The routing keys with which the queue is bound. */
                        routing_keys: string[];
                        /** @description The name of the queue to consume from. It exists already; do not declare it. */
                        queue: string;
                        /**
                         * @description The URL of the broker, with its virtual host and without credentials.
                         * @example amqps://broker.example:5671/
                         */
                        url: string;
                        /** @description The RabbitMQ user that can consume from the queue. */
                        user: string;
                        /**
                         * @description `incomplete` if the creation was interrupted: post the subscription again, or delete it.
                         * @enum {string}
                         */
                        status: "ready" | "incomplete";
                        /**
                         * Format: date-time
                         * @description When the subscription was created.
                         */
                        created_timestamp: string;
                        /** @description The password of `user`, returned only once; `null` if the request is a retry with the same `Idempotency-Key`. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
                 */
                id: string;
                /**
                 * @description The name of the subscription.
                 * @example warehouse
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
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
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The number of the last entry on the previous page, taken from `_links.next`.
                 * @example 42
                 */
                older?: number;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The stores of this page, newest first. */
                        stores: {
                            /** @description The id of the store, which never changes. */
                            id: number;
                            /** @description The number of the store, unique per retailer. */
                            reference: number;
                            /** @description Your own name for the store, unique per retailer. Receipts may use it to identify the store. */
                            external_reference: string | null;
                            /** @description The name of the store, shown on receipts. */
                            name: string;
                            /** @description The lines of the street address. */
                            address: string[];
                            /** @description The city of the store. */
                            city: string | null;
                            /** @description The postcode of the store. */
                            postcode: string | null;
                            /** @description The country, an ISO 3166-1 alpha-3 code such as `FRA`. */
                            country: string;
                            /** @description The phone number of the store. */
                            phone: string | null;
                            /** @description The VAT number of the store’s legal entity, shown instead of the retailer’s. */
                            vatno: string | null;
                            /** @description The name of the store’s legal entity, shown instead of the retailer’s. */
                            company: string | null;
                            /** @description The language and region of receipts of this store. Defaults to that of the retailer. */
                            locale: string | null;
                            /** @description The time zone of the store, an IANA name. Defaults to that of the retailer. */
                            timezone: string | null;
                            /** @description The currency of receipts of this store, an ISO 4217 code. Defaults to that of the retailer. */
                            currency: string | null;
                            /** @description Other data about the store. Free-form. */
                            properties: unknown;
                            /** @description Settings of your own systems for this store. Free-form, except for `opening_hours`: `{"mon": ["08:00-12:30", "14:00-20:00"], …}`, with the days `mon` to `sun` and times in the time zone of the store. A range such as `18:00-02:00` ends on the following day, and a day that is missing is one on which the store is closed. Tills count as silent only within these hours. */
                            settings: unknown;
                            /**
                             * Format: date-time
                             * @description When the store last changed.
                             */
                            updated_timestamp: string;
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The resource was created. */
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
                        /** @description The number of the store, unique per retailer. */
                        reference: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The `reference` of the store, or its `external_reference`, percent-encoded.
                 * @example 1
                 */
                reference: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the store, which never changes. */
                        id: number;
                        /** @description The number of the store, unique per retailer. */
                        reference: number;
                        /** @description Your own name for the store, unique per retailer. Receipts may use it to identify the store. */
                        external_reference: string | null;
                        /** @description The name of the store, shown on receipts. */
                        name: string;
                        /** @description The lines of the street address. */
                        address: string[];
                        /** @description The city of the store. */
                        city: string | null;
                        /** @description The postcode of the store. */
                        postcode: string | null;
                        /** @description The country, an ISO 3166-1 alpha-3 code such as `FRA`. */
                        country: string;
                        /** @description The phone number of the store. */
                        phone: string | null;
                        /** @description The VAT number of the store’s legal entity, shown instead of the retailer’s. */
                        vatno: string | null;
                        /** @description The name of the store’s legal entity, shown instead of the retailer’s. */
                        company: string | null;
                        /** @description The language and region of receipts of this store. Defaults to that of the retailer. */
                        locale: string | null;
                        /** @description The time zone of the store, an IANA name. Defaults to that of the retailer. */
                        timezone: string | null;
                        /** @description The currency of receipts of this store, an ISO 4217 code. Defaults to that of the retailer. */
                        currency: string | null;
                        /** @description Other data about the store. Free-form. */
                        properties: unknown;
                        /** @description Settings of your own systems for this store. Free-form, except for `opening_hours`: `{"mon": ["08:00-12:30", "14:00-20:00"], …}`, with the days `mon` to `sun` and times in the time zone of the store. A range such as `18:00-02:00` ends on the following day, and a day that is missing is one on which the store is closed. Tills count as silent only within these hours. */
                        settings: unknown;
                        /**
                         * Format: date-time
                         * @description When the store last changed.
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The `reference` of the store, or its `external_reference`, percent-encoded.
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the store, which never changes. */
                        id: number;
                        /** @description The number of the store, unique per retailer. */
                        reference: number;
                        /** @description Your own name for the store, unique per retailer. Receipts may use it to identify the store. */
                        external_reference: string | null;
                        /** @description The name of the store, shown on receipts. */
                        name: string;
                        /** @description The lines of the street address. */
                        address: string[];
                        /** @description The city of the store. */
                        city: string | null;
                        /** @description The postcode of the store. */
                        postcode: string | null;
                        /** @description The country, an ISO 3166-1 alpha-3 code such as `FRA`. */
                        country: string;
                        /** @description The phone number of the store. */
                        phone: string | null;
                        /** @description The VAT number of the store’s legal entity, shown instead of the retailer’s. */
                        vatno: string | null;
                        /** @description The name of the store’s legal entity, shown instead of the retailer’s. */
                        company: string | null;
                        /** @description The language and region of receipts of this store. Defaults to that of the retailer. */
                        locale: string | null;
                        /** @description The time zone of the store, an IANA name. Defaults to that of the retailer. */
                        timezone: string | null;
                        /** @description The currency of receipts of this store, an ISO 4217 code. Defaults to that of the retailer. */
                        currency: string | null;
                        /** @description Other data about the store. Free-form. */
                        properties: unknown;
                        /** @description Settings of your own systems for this store. Free-form, except for `opening_hours`: `{"mon": ["08:00-12:30", "14:00-20:00"], …}`, with the days `mon` to `sun` and times in the time zone of the store. A range such as `18:00-02:00` ends on the following day, and a day that is missing is one on which the store is closed. Tills count as silent only within these hours. */
                        settings: unknown;
                        /**
                         * Format: date-time
                         * @description When the store last changed.
                         */
                        updated_timestamp: string;
                    };
                };
            };
            400: components["responses"]["400-malformed_patch-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The number of the last entry on the previous page, taken from `_links.next`.
                 * @example 42
                 */
                older?: number;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /** @description How the client authenticates: `bearer` tokens or `hmac` URL signatures. */
                authentication: "bearer" | "hmac";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The clients of this page, newest first. */
                        clients: {
                            /** @description A note that helps you tell your clients apart. */
                            description: string;
                            /** @description The id of the client, unique among those with the same authentication. */
                            id: number;
                            /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                            key: string;
                            /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                            permissions: string[];
                            /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                            revoked: boolean;
                            /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                            signature_max_age?: number;
                            /** @description Settings that change how endpoints respond to the client. */
                            settings: {
                                /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                                consumer_required?: boolean;
                                /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                                assign_returns_receipt?: boolean;
                            };
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description How the client authenticates: `bearer` tokens or `hmac` URL signatures. */
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
                    /** @description Whether the response is indented for readability. Defaults to `false`. */
                    pretty?: boolean;
                    /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                    permissions: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
                    /** @description A note that helps you tell your clients apart. */
                    description: string;
                    /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                    revoked?: boolean;
                    /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                    key?: string;
                    /** @description The shared secret in base64. Generated if it is missing. */
                    secret?: string;
                    /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                    signature_max_age?: number;
                    /** @description Settings that change how endpoints respond to the client. */
                    settings?: {
                        /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                        consumer_required?: boolean;
                        /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                        assign_returns_receipt?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    Location: components["headers"]["Location"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A note that helps you tell your clients apart. */
                        description: string;
                        /** @description The id of the client, unique among those with the same authentication. */
                        id: number;
                        /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                        key: string;
                        /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                        permissions: string[];
                        /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                        revoked: boolean;
                        /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                        signature_max_age?: number;
                        /** @description Settings that change how endpoints respond to the client. */
                        settings: {
                            /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                            consumer_required?: boolean;
                            /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                            assign_returns_receipt?: boolean;
                        };
                        /** @description The shared secret in base64, returned only once; `null` if the request is a retry with the same `Idempotency-Key`. */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-consumer_mismatch"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /** @description How the client authenticates: `bearer` tokens or `hmac` URL signatures. */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A note that helps you tell your clients apart. */
                        description: string;
                        /** @description The id of the client, unique among those with the same authentication. */
                        id: number;
                        /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                        key: string;
                        /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                        permissions: string[];
                        /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                        revoked: boolean;
                        /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                        signature_max_age?: number;
                        /** @description Settings that change how endpoints respond to the client. */
                        settings: {
                            /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                            consumer_required?: boolean;
                            /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                            assign_returns_receipt?: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /** @description How the client authenticates: `bearer` tokens or `hmac` URL signatures. */
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
                    /** @description Whether the response is indented for readability. Defaults to `false`. */
                    pretty?: boolean;
                    /** @description The new list of permissions, which replaces the old list. */
                    permissions?: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
                    /** @description A note that helps you tell your clients apart. */
                    description?: string;
                    /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                    revoked?: boolean;
                    /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                    key?: string;
                    /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                    signature_max_age?: number;
                    /** @description Settings that change how endpoints respond to the client. */
                    settings?: {
                        /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                        consumer_required?: boolean;
                        /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                        assign_returns_receipt?: boolean;
                    };
                    /** @description Permissions to add to the list. */
                    "permissions+="?: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
                    /** @description Permissions to remove from the list. */
                    "permissions-="?: ("view.*" | "view.get_receipt" | "view.search_receipt" | "view.post_receipt" | "view.patch_receipt" | "view.delete_receipt" | "view.void_receipt" | "view.post_gift_receipt" | "view.export_receipt" | "view.assign_receipt" | "view.unassign_receipt" | "view.send_receipt" | "view.post_pos_receipt" | "view.post_pos_data" | "view.get_packet" | "view.reprocess_packet" | "view.manage_mapping" | "view.post_attachment" | "view.get_attachment" | "view.get_identifier" | "view.search_identifier" | "view.post_identifier" | "view.patch_identifier" | "view.erase_identifier" | "view.export_identifier" | "view.validate_identifier" | "view.get_store" | "view.post_store" | "view.patch_store" | "view.get_loyalty" | "view.post_card" | "view.get_client" | "view.post_client" | "view.patch_client" | "view.put_portal_user" | "view.reset_portal_user" | "view.manage_webhook" | "view.manage_brand" | "view.get_events" | "view.get_report")[];
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A note that helps you tell your clients apart. */
                        description: string;
                        /** @description The id of the client, unique among those with the same authentication. */
                        id: number;
                        /** @description The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers. */
                        key: string;
                        /** @description The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions. */
                        permissions: string[];
                        /** @description Whether the client is revoked. All tokens and signatures of a revoked client are rejected. */
                        revoked: boolean;
                        /** @description The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400. */
                        signature_max_age?: number;
                        /** @description Settings that change how endpoints respond to the client. */
                        settings: {
                            /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                            consumer_required?: boolean;
                            /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                            assign_returns_receipt?: boolean;
                        };
                        /** @description The shared secret of the client in base64. */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-consumer_mismatch"];
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
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The tokens of this page, newest first. */
                        tokens: {
                            /** @description The id of the token (its `jti` claim). */
                            jti: string;
                            /**
                             * Format: date-time
                             * @description When the token was issued.
                             */
                            issued: string;
                            /** @description When the token expires; `null` if it does not expire. */
                            expires: string | null;
                            /** @description Whether the token is revoked, individually or with all tokens issued before a certain time. */
                            revoked: boolean;
                            /** @description When the token was last used, accurate to about a minute; `null` if it was never used. */
                            last_used: string | null;
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-unknown_cursor-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description Whether the response is indented for readability. Defaults to `false`. */
                    pretty?: boolean;
                    /** @description The lifetime of the token in seconds. By default, the token is valid until it is revoked. */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The token, returned only once; `null` if the request is a retry with the same `Idempotency-Key`. */
                        token: string | null;
                        /** @description The id of the token (its `jti` claim). */
                        jti: string;
                        /** @description When the token expires; `null` if it does not expire. */
                        expires: string | null;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The id of the token to revoke. Cannot be combined with `all`. */
                    jti?: string;
                    /**
                     * @description Revokes all tokens of the client issued so far. Cannot be combined with `jti`.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description The request succeeded. The response has no body. */
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
            403: components["responses"]["403-permission_denied-invalid_signature-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The e-mail address of the user, compared without regard to case, and unique across all retailers.
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
                    /** @description Whether the response is indented for readability. Defaults to `false`. */
                    pretty?: boolean;
                    /** @description One of the groups of the retailer setting `portal_groups`. An empty string means no group. */
                    group: string;
                    /**
                     * @description Whether the user can sign in (`active`) or not (`inactive`).
                     * @enum {string}
                     */
                    status: "active" | "inactive";
                    /** @description The references of the stores whose receipts the user may see, each a `reference` or an `external_reference`; `null` for all stores. A group can restrict its users further, see the retailer setting `portal_stores`. If missing, an existing user keeps its stores, and a new user may see all. */
                    stores?: (number | string)[] | null;
                    /** @description The e-mails about the business that the user gets; `null` for none. If missing, an existing user keeps its choice, and a new user gets none. Users change their choice in the portal. */
                    notifications?: components["schemas"]["PostedNotifications"] | null;
                    /** @description Whether a new user receives an e-mail with a link to set a password. It has no effect on existing users. Defaults to `true`. */
                    send_password_reset_on_create?: boolean;
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body-invalid_portal_user"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-consumer_mismatch-3"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
                 */
                id: string;
                /**
                 * @description The e-mail address of the user, compared without regard to case, and unique across all retailers.
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
                    /** @description Whether the response is indented for readability. Defaults to `false`. */
                    pretty?: boolean;
                    /** @description One of the groups of the retailer setting `portal_groups`. An empty string means no group. */
                    group: string;
                    /**
                     * @description Whether the user can sign in (`active`) or not (`inactive`).
                     * @enum {string}
                     */
                    status: "active" | "inactive";
                    /** @description The references of the stores whose receipts the user may see, each a `reference` or an `external_reference`; `null` for all stores. A group can restrict its users further, see the retailer setting `portal_stores`. If missing, an existing user keeps its stores, and a new user may see all. */
                    stores?: (number | string)[] | null;
                    /** @description The e-mails about the business that the user gets; `null` for none. If missing, an existing user keeps its choice, and a new user gets none. Users change their choice in the portal. */
                    notifications?: components["schemas"]["PostedNotifications"] | null;
                    /** @description Whether a new user receives an e-mail with a link to set a password. It has no effect on existing users. Defaults to `true`. */
                    send_password_reset_on_create?: boolean;
                };
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request succeeded. The response has no body. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The e-mail address of the user, compared without regard to case, and unique across all retailers.
                 * @example jo@demo.example
                 */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-permission_denied-invalid_signature-consumer_mismatch-3"];
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
                 * @description Only return messages that failed in this queue.
                 * @example ingest.commands
                 */
                queue?: string;
                /**
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The messages of this page, newest first. */
                        messages: {
                            /** @description The id of the message. */
                            id: string;
                            /** @description The queue in which the message failed, and to which a replay returns it. */
                            queue: string;
                            /** @description The name of the command, or the type of the event. */
                            type: string;
                            /** @description The id of the retailer that the message concerns; `null` if there is none. */
                            retailer: string | null;
                            /** @description The error of the last attempt. */
                            reason: string;
                            /** @description The number of attempts to process the message. */
                            attempts: number;
                            /** @description When processing first failed; `null` if it is unknown. */
                            first_failed_timestamp: string | null;
                            /** @description When processing last failed; `null` if it is unknown. */
                            last_failed_timestamp: string | null;
                            /** @description The id of the trace that the message belongs to, if there is one. */
                            trace_id: string | null;
                            /** @description The `request-id` of the request that caused the message, if it is known. */
                            request_id: string | null;
                        }[];
                        /** @description All queues with dead letters. */
                        queues: {
                            /** @description The name of the queue. */
                            queue: string;
                            /** @description The number of dead letters, counted up to 10,000. */
                            dead_letters: number;
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
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
                 * @description The queue in which the message failed.
                 * @example ingest.commands
                 */
                queue: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the message.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the message. */
                        id: string;
                        /** @description The queue in which the message failed, and to which a replay returns it. */
                        queue: string;
                        /** @description The name of the command, or the type of the event. */
                        type: string;
                        /** @description The id of the retailer that the message concerns; `null` if there is none. */
                        retailer: string | null;
                        /** @description The error of the last attempt. */
                        reason: string;
                        /** @description The number of attempts to process the message. */
                        attempts: number;
                        /** @description When processing first failed; `null` if it is unknown. */
                        first_failed_timestamp: string | null;
                        /** @description When processing last failed; `null` if it is unknown. */
                        last_failed_timestamp: string | null;
                        /** @description The id of the trace that the message belongs to, if there is one. */
                        trace_id: string | null;
                        /** @description The `request-id` of the request that caused the message, if it is known. */
                        request_id: string | null;
                        /** @description The event, or the items of the command, as they were sent. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                 *       "queue": "delivery.on-receipt-recorded-or-deleted",
                 *       "all": true
                 *     }
                 */
                "application/json": {
                    /** @description The queue in which the messages failed. */
                    queue: string;
                    /** @description The ids of the messages to select. Cannot be combined with `all`. */
                    ids?: string[];
                    /**
                     * @description Selects all dead letters of the queue. Cannot be combined with `ids`.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of messages that were returned to their queue. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                 *       "queue": "delivery.on-receipt-recorded-or-deleted",
                 *       "all": true
                 *     }
                 */
                "application/json": {
                    /** @description The queue in which the messages failed. */
                    queue: string;
                    /** @description The ids of the messages to select. Cannot be combined with `all`. */
                    ids?: string[];
                    /**
                     * @description Selects all dead letters of the queue. Cannot be combined with `ids`.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of messages that were deleted. */
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The services of the platform. */
                        services: {
                            /** @description The name of the service. */
                            service: string;
                            /** @description Whether at least one process consumes the requests of the service. */
                            ready: boolean;
                            /** @description The number of processes that consume the requests of the service. */
                            instances: number;
                            /** @description The releases that are running. There are several during an update. */
                            versions: string[];
                            /** @description The number of requests that no process has consumed yet. */
                            waiting: number;
                            /** @description How long the queue has been non-empty, in seconds. It is polled every 15 seconds. No message in the queue is older than this. */
                            waiting_seconds: number;
                            /** @description The events of the service that are not published yet. */
                            outbox: {
                                /** @description The number of documents with unpublished events, counted up to 10,000 per collection. */
                                pending: number;
                                /** @description The age of the oldest unpublished event, in seconds. */
                                oldest_age_seconds: number;
                            };
                            /** @description The processes that have reported in the last 20 seconds. */
                            processes: {
                                /** @description The id of the process, which it keeps until it ends. */
                                instance: string;
                                /** @description The release that the process is running. */
                                version: string;
                                /**
                                 * Format: date-time
                                 * @description When the process started.
                                 */
                                started_timestamp: string;
                                /**
                                 * Format: date-time
                                 * @description When the process last reported its state.
                                 */
                                last_seen_timestamp: string;
                                /** @description The lag of the event loop of the process, in milliseconds. */
                                loop_lag_ms: number;
                            }[];
                        }[];
                        /** @description The queues of the platform. */
                        queues: {
                            /** @description The name of the queue. */
                            queue: string;
                            /** @description The number of messages waiting in the queue. */
                            messages: number;
                            /** @description The number of consumers of the queue. */
                            consumers: number;
                            /** @description How long the queue has been non-empty, in seconds. It is polled every 15 seconds. No message in the queue is older than this. */
                            waiting_seconds: number;
                            /** @description The number of messages from the queue that could not be processed. */
                            dead_letters: number;
                        }[];
                        /** @description The quorum queues that a running node of the broker should be a member of, but is not, for example because it has lost its disk. Checked once a minute. `null` if not known, or if `BROKER_MANAGEMENT_URL` is not set. */
                        incomplete_queues: {
                            /** @description The name of the queue. */
                            queue: string;
                            /** @description The number of nodes that run a member of the queue. */
                            members: number;
                            /** @description The number of nodes that should run one: all running nodes, but at most 3. */
                            expected: number;
                        }[] | null;
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The length of an interval in seconds. */
                        interval_seconds: number;
                        /** @description The services that have reported. */
                        services: {
                            /** @description The name of the service. */
                            service: string;
                            /** @description The intervals, oldest first. */
                            points: {
                                /**
                                 * Format: date-time
                                 * @description When the interval began.
                                 */
                                timestamp: string;
                                /** @description The number of requests or messages that ended in the interval. */
                                done: number;
                                /** @description The number of these requests or messages that failed with a platform error (5xx). */
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
                 * @description Only return actions that concern this retailer.
                 * @example demo
                 */
                retailer?: string;
                /**
                 * @description The maximum number of entries per page. Defaults to 100.
                 * @example 20
                 */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
                            /** @description The name that the caller gave in the header `service-operator`; `operator` if the header is missing. */
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
                            /** @description The id of the retailer that the request concerned; `null` if there was none. */
                            retailer: string | null;
                            /**
                             * @description The names of the members in the body, or the pointers in a JSON Patch. Values are not stored.
                             * @example [
                             *       "settings"
                             *     ]
                             */
                            fields: string[];
                            /**
                             * @description The HTTP status code of the response; `null` if it is unknown.
                             * @example 200
                             */
                            status: number | null;
                            /** @description The `request-id` of the request. */
                            request_id: string;
                        }[];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
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
    listMappings: {
        parameters: {
            query?: {
                /** @description Only return versions with this status. */
                status?: "draft" | "active" | "inactive";
                /** @description The maximum number of mappings per page. */
                count?: number;
                /**
                 * @description The cursor of the next page, taken from `_links.next` of the previous page.
                 * @example 6a1f3c2b9d4e5f60718293a4
                 */
                older?: string;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The mappings on this page, sorted by id. */
                        mappings: components["schemas"]["MappingDocumentAnswer"][];
                        /** @description Links to other pages of the list. */
                        _links: {
                            /** @description The next page; absent on the last page. */
                            next?: {
                                /** @description The path of the page, relative to the base URL. */
                                href: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
            /** @description The resource was created. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                 * @description The version to return, instead of the newest.
                 * @example 2
                 */
                version?: number;
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the mapping.
                 * @example vendor-json
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.
                 * @example "3"
                 */
                "if-match"?: string;
            };
            path: {
                /**
                 * @description The id of the mapping.
                 * @example vendor-json
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
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the mapping.
                 * @example vendor-json
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The version to activate. Defaults to the newest. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the mapping.
                 * @example vendor-json
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
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
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
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
                    /** @description The mapping to try: a document, or the id of a mapping, whose newest version is tried. */
                    mapping: string | {
                        /** @description The id of the mapping, unique per retailer: letters, digits, `_`, `.` and `-`. */
                        id?: string;
                        /** @description Your own note about the mapping. */
                        description?: string;
                        /** @description The packets to which the mapping applies. By default, it applies to all packets. */
                        match?: components["schemas"]["MappingMatch"];
                        /** @description How the raw data is decoded. */
                        decode: {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "json";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "xml";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description Whether the names of elements keep their namespace prefixes. Defaults to `false`. */
                            keep_prefixes?: boolean;
                            /** @description Whether `doc` is the root element, and every element is an object with `name`, `attributes`, `text` (its own text, joined, with its spaces) and `children` in the order of the document. Defaults to `false`. */
                            ordered?: boolean;
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "csv";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description The characters between two values. By default, the most frequent of comma, semicolon, tab and `|` in the first line. */
                            delimiter?: string;
                            /** @description The character that encloses values. Defaults to a double quote. */
                            quote?: string;
                            /** @description `true` if the first line contains the names of the columns, or a list of these names. If several columns have the same name, the second is called `name_2`, the third `name_3`. */
                            header?: boolean | string[];
                            /** @description The number of lines to skip at the beginning. */
                            skip_lines?: number;
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "text";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                            columns?: number;
                            /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                            split?: string;
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "escpos";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                            columns?: number;
                            /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                            split?: string;
                            /**
                             * @description The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.
                             * @enum {string}
                             */
                            printer?: "epson" | "star" | "bixolon" | "citizen" | "xprinter" | "pos-5890" | "hp" | "fujitsu" | "mpt" | "youku";
                            /** @description The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`. */
                            code_pages?: {
                                [key: string]: string;
                            };
                            /**
                             * @description The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.
                             * @enum {string}
                             */
                            multibyte?: "shift_jis" | "gb18030" | "big5" | "euc-kr";
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "star";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                            columns?: number;
                            /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                            split?: string;
                            /**
                             * @description The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.
                             * @enum {string}
                             */
                            printer?: "epson" | "star" | "bixolon" | "citizen" | "xprinter" | "pos-5890" | "hp" | "fujitsu" | "mpt" | "youku";
                            /** @description The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`. */
                            code_pages?: {
                                [key: string]: string;
                            };
                            /**
                             * @description The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.
                             * @enum {string}
                             */
                            multibyte?: "shift_jis" | "gb18030" | "big5" | "euc-kr";
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "opos";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                            columns?: number;
                            /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                            split?: string;
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "epos";
                            /** @description The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers. */
                            codepage?: string;
                            /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                            columns?: number;
                            /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                            split?: string;
                        } | {
                            /**
                             * @description The format of the raw data.
                             * @constant
                             */
                            type: "pdf";
                            /** @description The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed. */
                            split?: string;
                            /** @description The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped. */
                            columns?: number;
                        };
                        /** @description What is read from decoded lines. Only for line formats: text, ESC/POS, Star, OPOS, ePOS and PDF. */
                        extract?: components["schemas"]["MappingExtract"];
                        /** @description How the decoded data is converted to receipts. */
                        transform: {
                            /**
                             * @description The language of the expression.
                             * @constant
                             */
                            language: "jsonata";
                            /** @description The expression that converts the decoded data to a receipt, or to a list of receipts. */
                            expression: string;
                        };
                        /** @description Members that are added to the receipt if the expression does not set them. */
                        defaults?: {
                            [key: string]: unknown;
                        };
                        /** @description The resources that a conversion may use. */
                        limits?: components["schemas"]["MappingLimits"];
                        /** @description Examples of raw data with the expected receipts. All must pass before the mapping is activated. */
                        samples?: components["schemas"]["MappingSample"][];
                        /** @description The version of the mapping, from 1. Versions never change. */
                        version?: number;
                        /**
                         * @description Whether the version is in use (`active`), was in use (`inactive`) or was never in use (`draft`).
                         * @enum {string}
                         */
                        status?: "draft" | "active" | "inactive";
                    };
                    /** @description The raw data to convert, in base64. */
                    input_base64: string;
                    /** @description The media type of the raw data. */
                    content_type?: string;
                    /** @description Free-form properties, as they would be sent with the data. */
                    properties?: {
                        [key: string]: unknown;
                    };
                    /** @description Metadata, as it would be sent with the data. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The resulting receipts, in the form of `POST /receipts`. */
                        receipts: unknown[];
                        /** @description The errors of the conversion; empty if it succeeded. */
                        errors: {
                            /** @description A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping. */
                            path: string;
                            /** @description The stable code of the error. */
                            code: string;
                            /** @description The error in words. */
                            message: string;
                            /** @description The part of the raw data in which the error occurred, from 0, if it belongs to one. */
                            part?: number;
                            /** @description The line of the raw data or of the expression that caused the error, from 1, if it is known. */
                            line?: number;
                        }[];
                        /** @description What you should check: totals that do not add up, and lines of tables that no rule matches. */
                        warnings: {
                            /** @description A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping. */
                            path: string;
                            /** @description The name of the check that a receipt fails (`items_total`, `payments_total`, `taxes_total`, `net_total`, `item_total`), or `unmatched_lines`. */
                            code: string;
                            /** @description The warning in words. */
                            message: string;
                            /** @description The part of the raw data, from 0. */
                            part: number;
                            /** @description For `unmatched_lines`: how many lines of a table neither `row` nor `continuation` matches. */
                            count?: number;
                        }[];
                        /** @description The data of the first part as the expression receives it, and that of all parts. */
                        decoded: {
                            /** @description The decoded lines of a line format, as they appear on paper. */
                            lines?: string[];
                            /** @description The decoded document of a tree format: JSON, XML or CSV. */
                            doc?: unknown;
                            /** @description The values that the rules in `extract.fields` have read. */
                            fields?: {
                                [key: string]: unknown;
                            };
                            /** @description The rows that the rules in `extract.tables` have read. */
                            tables?: {
                                [key: string]: unknown;
                            };
                            /** @description The bar codes and QR codes of a line format, in the order of the lines. */
                            codes?: {
                                /** @description The number of lines above the code. */
                                line: number;
                                /** @description The type of the code, such as `qr`, `code128`, `ean13` or `pdf417`. */
                                type: string;
                                /** @description The data of the code. */
                                data: string;
                            }[];
                            /** @description The data of all parts. Cuts, form feeds and `split` divide the data into parts. */
                            parts: {
                                /** @description The decoded lines of a line format, as they appear on paper. */
                                lines?: string[];
                                /** @description The decoded document of a tree format: JSON, XML or CSV. */
                                doc?: unknown;
                                /** @description The values that the rules in `extract.fields` have read. */
                                fields?: {
                                    [key: string]: unknown;
                                };
                                /** @description The rows that the rules in `extract.tables` have read. */
                                tables?: {
                                    [key: string]: unknown;
                                };
                                /** @description The bar codes and QR codes of a line format, in the order of the lines. */
                                codes?: {
                                    /** @description The number of lines above the code. */
                                    line: number;
                                    /** @description The type of the code, such as `qr`, `code128`, `ean13` or `pdf417`. */
                                    type: string;
                                    /** @description The data of the code. */
                                    data: string;
                                }[];
                            }[];
                        };
                        /** @description How long the conversion took, in milliseconds. */
                        time: number;
                    };
                };
            };
            400: components["responses"]["400-bad_request-invalid_parameter-malformed_body"];
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-invalid_signature-permission_denied-consumer_mismatch-2"];
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
    dryRunPacket: {
        parameters: {
            query?: {
                /** @description Whether the response is indented for readability. */
                pretty?: components["parameters"]["pretty"];
            };
            header?: {
                /**
                 * @description A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.
                 * @example 3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The id of the retailer.
                 * @example demo
                 */
                id: string;
                /**
                 * @description The id of the failed packet.
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
                    /** @description The id of the mapping to run. Defaults to the mapping that failed. */
                    mapping?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "request-id": components["headers"]["request-id"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The packet, as returned to its retailer. */
                        packet: components["schemas"]["PacketView"];
                        /** @description The raw data of the packet. */
                        raw: {
                            /** @description The raw data as text; `null` if it is binary. */
                            text: string | null;
                            /** @description Whether `text` contains all the data, not only its beginning. */
                            is_whole: boolean;
                        };
                        /** @description The id of the mapping that was run; `null` if there was none to run. */
                        mapping: string | null;
                        /** @description The result; `null` if no mapping was run, because none was chosen or the chosen one no longer exists. */
                        dry_run: {
                            /** @description The resulting receipts, in the form of `POST /receipts`. */
                            receipts: unknown[];
                            /** @description The errors of the conversion; empty if it succeeded. */
                            errors: {
                                /** @description A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping. */
                                path: string;
                                /** @description The stable code of the error. */
                                code: string;
                                /** @description The error in words. */
                                message: string;
                                /** @description The part of the raw data in which the error occurred, from 0, if it belongs to one. */
                                part?: number;
                                /** @description The line of the raw data or of the expression that caused the error, from 1, if it is known. */
                                line?: number;
                            }[];
                            /** @description What you should check: totals that do not add up, and lines of tables that no rule matches. */
                            warnings: {
                                /** @description A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping. */
                                path: string;
                                /** @description The name of the check that a receipt fails (`items_total`, `payments_total`, `taxes_total`, `net_total`, `item_total`), or `unmatched_lines`. */
                                code: string;
                                /** @description The warning in words. */
                                message: string;
                                /** @description The part of the raw data, from 0. */
                                part: number;
                                /** @description For `unmatched_lines`: how many lines of a table neither `row` nor `continuation` matches. */
                                count?: number;
                            }[];
                            /** @description The data of the first part as the expression receives it, and that of all parts. */
                            decoded: {
                                /** @description The decoded lines of a line format, as they appear on paper. */
                                lines?: string[];
                                /** @description The decoded document of a tree format: JSON, XML or CSV. */
                                doc?: unknown;
                                /** @description The values that the rules in `extract.fields` have read. */
                                fields?: {
                                    [key: string]: unknown;
                                };
                                /** @description The rows that the rules in `extract.tables` have read. */
                                tables?: {
                                    [key: string]: unknown;
                                };
                                /** @description The bar codes and QR codes of a line format, in the order of the lines. */
                                codes?: {
                                    /** @description The number of lines above the code. */
                                    line: number;
                                    /** @description The type of the code, such as `qr`, `code128`, `ean13` or `pdf417`. */
                                    type: string;
                                    /** @description The data of the code. */
                                    data: string;
                                }[];
                                /** @description The data of all parts. Cuts, form feeds and `split` divide the data into parts. */
                                parts: {
                                    /** @description The decoded lines of a line format, as they appear on paper. */
                                    lines?: string[];
                                    /** @description The decoded document of a tree format: JSON, XML or CSV. */
                                    doc?: unknown;
                                    /** @description The values that the rules in `extract.fields` have read. */
                                    fields?: {
                                        [key: string]: unknown;
                                    };
                                    /** @description The rows that the rules in `extract.tables` have read. */
                                    tables?: {
                                        [key: string]: unknown;
                                    };
                                    /** @description The bar codes and QR codes of a line format, in the order of the lines. */
                                    codes?: {
                                        /** @description The number of lines above the code. */
                                        line: number;
                                        /** @description The type of the code, such as `qr`, `code128`, `ean13` or `pdf417`. */
                                        type: string;
                                        /** @description The data of the code. */
                                        data: string;
                                    }[];
                                }[];
                            };
                            /** @description How long the conversion took, in milliseconds. */
                            time: number;
                        } | null;
                        /** @description The ids of the mappings of the retailer, up to 100. */
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

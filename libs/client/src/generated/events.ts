// Generated from the descriptions of the interface by `npm run client-types`. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AttachmentView: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /** @description Where it can be fetched. */
            url: string;
            /** @description The media type. */
            content_type: string;
            /** @description The name of the file. */
            filename: string;
            /** @description Bytes. */
            size: number;
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
        ReceiptFacts: {
            /** @description Names this thing; unique for each retailer. */
            id: string;
            /** @description The number of the sale at the retailer, unique for each retailer. */
            transaction_id: string;
            /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
            external_id: string | null;
            /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
            identifier: string | null;
            /** @description The reference of the store, or its external reference. */
            store_reference: string;
            /** @description Date and time in UTC. */
            timestamp: string;
            /** @description What was to be paid, in the currency of the receipt. */
            total: number;
            /** @description A currency of ISO 4217, such as `EUR`. */
            currency: string;
            /** @description True for another copy of a receipt that was posted before. */
            duplicate: boolean;
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
        RetailerSettings: {
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
        "attachment.created": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "attachment.created";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/attachment.created/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: components["schemas"]["AttachmentView"];
        };
        "client.created": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "client.created";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/client.created/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @enum {string} */
                authentication: "bearer" | "hmac";
                /** @description A sentence for people. */
                description: string;
                /** @description The access key: `key` of a URL signature, `kid` of a token. */
                key: string;
                previous_key: string | null;
                /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                permissions: string[];
                /** @description True when it is refused from now on. */
                revoked: boolean;
                /** @description How many seconds ahead the expiry of a signature may lie. */
                signature_max_age: number | null;
                /** @description Settings; see the description of each. */
                settings: {
                    /** @description True when lists, searches and single reads need `consumer`. */
                    consumer_required?: boolean;
                    /** @description True when assigning a receipt answers with the receipt. */
                    assign_returns_receipt?: boolean;
                };
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "client.revoked": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "client.revoked";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/client.revoked/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @enum {string} */
                authentication: "bearer" | "hmac";
                /** @description A sentence for people. */
                description: string;
                /** @description The access key: `key` of a URL signature, `kid` of a token. */
                key: string;
                previous_key: string | null;
                /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                permissions: string[];
                /** @description True when it is refused from now on. */
                revoked: boolean;
                /** @description How many seconds ahead the expiry of a signature may lie. */
                signature_max_age: number | null;
                /** @description Settings; see the description of each. */
                settings: {
                    /** @description True when lists, searches and single reads need `consumer`. */
                    consumer_required?: boolean;
                    /** @description True when assigning a receipt answers with the receipt. */
                    assign_returns_receipt?: boolean;
                };
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "client.updated": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "client.updated";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/client.updated/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @enum {string} */
                authentication: "bearer" | "hmac";
                /** @description A sentence for people. */
                description: string;
                /** @description The access key: `key` of a URL signature, `kid` of a token. */
                key: string;
                previous_key: string | null;
                /** @description What it may do, such as `view.get_receipt`; `view.*` is everything. */
                permissions: string[];
                /** @description True when it is refused from now on. */
                revoked: boolean;
                /** @description How many seconds ahead the expiry of a signature may lie. */
                signature_max_age: number | null;
                /** @description Settings; see the description of each. */
                settings: {
                    /** @description True when lists, searches and single reads need `consumer`. */
                    consumer_required?: boolean;
                    /** @description True when assigning a receipt answers with the receipt. */
                    assign_returns_receipt?: boolean;
                };
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "delivery.failed": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "delivery.failed";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/delivery.failed/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /**
                 * @description The way on which it is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The lines of the address. */
                address: string;
                /** @description Why it is so. */
                reason: string | null;
            };
        };
        "delivery.requested": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "delivery.requested";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/delivery.requested/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /**
                 * @description The way on which it is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The lines of the address. */
                address: string;
                /** @description Why it is so. */
                reason: string | null;
            };
        };
        "delivery.sent": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "delivery.sent";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/delivery.sent/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /**
                 * @description The way on which it is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The lines of the address. */
                address: string;
                /** @description Why it is so. */
                reason: string | null;
            };
        };
        "delivery.suppressed": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "delivery.suppressed";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/delivery.suppressed/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /**
                 * @description The way on which it is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The lines of the address. */
                address: string;
                /** @description Why it is so. */
                reason: string | null;
            };
        };
        "identifier.created": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "identifier.created";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/identifier.created/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                identifier: string;
                /** @description When it was made. */
                created_timestamp: string;
                /** @description When it was last changed. */
                updated_timestamp: string;
                /** @description When it was last changed where it comes from. */
                source_updated_timestamp: string | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties: {
                    [key: string]: unknown;
                };
            };
        };
        "identifier.erased": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "identifier.erased";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/identifier.erased/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description In hexadecimal digits. */
                identifier_sha256: string;
                erased_timestamp: string;
            };
        };
        "identifier.updated": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "identifier.updated";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/identifier.updated/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                identifier: string;
                /** @description When it was made. */
                created_timestamp: string;
                /** @description When it was last changed. */
                updated_timestamp: string;
                /** @description When it was last changed where it comes from. */
                source_updated_timestamp: string | null;
                /** @description Whatever else is to be kept. Free, but for the members that are listed. */
                properties: {
                    [key: string]: unknown;
                };
            };
        };
        "loyalty.reward_issued": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "loyalty.reward_issued";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/loyalty.reward_issued/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
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
                program_id: number;
            };
        };
        "portal_user.created": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "portal_user.created";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/portal_user.created/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @description An e-mail address. */
                email: string;
                group: string;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "portal_user.password_reset_requested": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "portal_user.password_reset_requested";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/portal_user.password_reset_requested/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @description An e-mail address. */
                email: string;
                group: string;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /** @description Counts the changes, from 1. */
                version: number;
                reset_id: string;
            };
        };
        "portal_user.updated": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "portal_user.updated";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/portal_user.updated/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: number;
                /** @description An e-mail address. */
                email: string;
                group: string;
                /**
                 * @description The state that it is in.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "pos_receipt.accepted": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "pos_receipt.accepted";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/pos_receipt.accepted/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /** @description The media type. */
                content_type: string | null;
                /** @description Bytes. */
                size: number;
                metadata: components["schemas"]["PacketMetadata"];
                /** @description True for another copy of a receipt that was posted before. */
                duplicate: boolean;
            };
        };
        "pos_receipt.converted": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "pos_receipt.converted";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/pos_receipt.converted/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /** @description The media type. */
                content_type: string | null;
                /** @description Bytes. */
                size: number;
                metadata: components["schemas"]["PacketMetadata"];
                /** @description True for another copy of a receipt that was posted before. */
                duplicate: boolean;
                /** @description The mapping that converts it. */
                mapping: components["schemas"]["MappingVersion"] | null;
                /** @description All receipts that were made of it. */
                receipt_ids: string[];
            };
        };
        "pos_receipt.failed": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "pos_receipt.failed";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/pos_receipt.failed/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The first receipt that was made of it. */
                receipt_id: string;
                /** @description The media type. */
                content_type: string | null;
                /** @description Bytes. */
                size: number;
                metadata: components["schemas"]["PacketMetadata"];
                /** @description True for another copy of a receipt that was posted before. */
                duplicate: boolean;
                /** @description The mapping that converts it. */
                mapping: components["schemas"]["MappingVersion"] | null;
                /**
                 * @description Why it is so.
                 * @enum {string}
                 */
                reason: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                /** @description Everything that is wrong. */
                errors: components["schemas"]["PacketFault"][];
            };
        };
        "receipt.assigned": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "receipt.assigned";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/receipt.assigned/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: components["schemas"]["ReceiptFacts"];
        };
        "receipt.created": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "receipt.created";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/receipt.created/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The number of the sale at the retailer, unique for each retailer. */
                transaction_id: string;
                /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
                external_id: string | null;
                /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                identifier: string | null;
                /** @description The reference of the store, or its external reference. */
                store_reference: string;
                /** @description Date and time in UTC. */
                timestamp: string;
                /** @description What was to be paid, in the currency of the receipt. */
                total: number;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency: string;
                /** @description True for another copy of a receipt that was posted before. */
                duplicate: boolean;
                receipt: components["schemas"]["ReturnedReceipt"];
            };
        };
        "receipt.deleted": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "receipt.deleted";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/receipt.deleted/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The number of the sale at the retailer, unique for each retailer. */
                transaction_id: string;
                deleted_timestamp: string;
            };
        };
        "receipt.updated": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "receipt.updated";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/receipt.updated/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The number of the sale at the retailer, unique for each retailer. */
                transaction_id: string;
                /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
                external_id: string | null;
                /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                identifier: string | null;
                /** @description The reference of the store, or its external reference. */
                store_reference: string;
                /** @description Date and time in UTC. */
                timestamp: string;
                /** @description What was to be paid, in the currency of the receipt. */
                total: number;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency: string;
                /** @description True for another copy of a receipt that was posted before. */
                duplicate: boolean;
                receipt: components["schemas"]["ReturnedReceipt"];
            };
        };
        "receipt.viewed": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "receipt.viewed";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/receipt.viewed/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The number of the sale at the retailer, unique for each retailer. */
                transaction_id: string;
                /** @description A UUIDv4 that the retailer gave it, unique for each retailer. */
                external_id: string | null;
                /** @description The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses. */
                identifier: string | null;
                /** @description The reference of the store, or its external reference. */
                store_reference: string;
                /** @description Date and time in UTC. */
                timestamp: string;
                /** @description What was to be paid, in the currency of the receipt. */
                total: number;
                /** @description A currency of ISO 4217, such as `EUR`. */
                currency: string;
                /** @description True for another copy of a receipt that was posted before. */
                duplicate: boolean;
                /** @enum {string} */
                viewer: "person" | "bot";
                /** @description How often this kind of viewer has seen the receipt, with this view. */
                views: number;
                /** @description False for the first view of this kind of viewer. */
                repeated: boolean;
            };
        };
        "retailer.updated": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "retailer.updated";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/retailer.updated/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description The name for people to read. */
                name: string;
                /** @description The VAT number. */
                vatno: string | null;
                settings: components["schemas"]["RetailerSettings"];
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "store.created": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "store.created";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/store.created/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
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
                /** @description The retailer. */
                retailer: string;
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "store.updated": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "store.updated";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/store.updated/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
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
                /** @description The retailer. */
                retailer: string;
                /** @description Counts the changes, from 1. */
                version: number;
            };
        };
        "webhook.endpoint_disabled": {
            /** @constant */
            specversion: "1.0";
            /** @description Unique for ever: an event that comes twice has the same id. */
            id: string;
            source: string;
            /** @constant */
            type: "webhook.endpoint_disabled";
            /** @description The id of the thing that it is about. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @constant */
            dataschema: "/schemas/webhook.endpoint_disabled/1";
            retailer: string;
            /** @description The version of the subject: a gap shows a missed event. */
            sequence: number;
            /** @description The id of the request in which it all began. */
            correlationid: string;
            /** @description The id of the message that caused it. */
            causationid?: string;
            /** @description W3C trace context. */
            traceparent?: string;
            data: {
                /** @description Names this thing; unique for each retailer. */
                id: string;
                /** @description A sentence for people. */
                description: string | null;
                /**
                 * @description Why it is so.
                 * @enum {string}
                 */
                reason: "gone" | "failing";
                failing_since: string | null;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

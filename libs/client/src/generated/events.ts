// Generated from the descriptions of the interface by `npm run client-types`. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AttachmentView: {
            /** @description The id of the attachment. */
            id: string;
            /** @description The path of the content, relative to the base URL. */
            url: string;
            /** @description The media type of the attachment. */
            content_type: string;
            /** @description The file name of the attachment. */
            filename: string;
            /** @description The size of the attachment in bytes. */
            size: number;
        };
        BrandSettings: {
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
        /**
         * @description The returns code of the gift receipt, printed on it as CODE128.
         * @example 0000123456789012345678901234567890
         */
        GiftId: string;
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
        ReceiptFacts: {
            /** @description The id of the receipt: 24 hexadecimal digits. */
            id: string;
            /** @description Your own number for the sale, unique per retailer. */
            transaction_id: string;
            /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
            external_id: string | null;
            /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
            identifier: string | null;
            /** @description The reference of the store, as posted. */
            store_reference: string;
            /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
            timestamp: string;
            /** @description The total of the receipt, in its currency. */
            total: number;
            /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
            currency: string;
            /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
            duplicate: boolean;
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
        /** @description The settings of the retailer. Missing settings take their defaults. */
        RetailerSettings: {
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
            brand: components["schemas"]["BrandSettings"];
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
        "attachment.created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "attachment.created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/attachment.created/1";
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
            /** @description The data of attachment.created. */
            data: components["schemas"]["AttachmentView"];
        };
        "client.created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "client.created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/client.created/1";
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
            /** @description The data of client.created. */
            data: {
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
                /** @description The maximum time until a URL signature expires, in seconds; `null` for `bearer`. */
                signature_max_age: number | null;
                /** @description Settings that change how endpoints respond to the client. */
                settings: {
                    /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                    consumer_required?: boolean;
                    /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                    assign_returns_receipt?: boolean;
                };
                /**
                 * @description How the client authenticates: with `bearer` tokens or `hmac` URL signatures.
                 * @enum {string}
                 */
                authentication: "bearer" | "hmac";
                /** @description The replaced key; `null` if the key has not changed. */
                previous_key: string | null;
                /** @description The version of the client, from 1. It increases with every change. */
                version: number;
            };
        };
        "client.revoked": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "client.revoked";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/client.revoked/1";
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
            /** @description The data of client.revoked. */
            data: {
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
                /** @description The maximum time until a URL signature expires, in seconds; `null` for `bearer`. */
                signature_max_age: number | null;
                /** @description Settings that change how endpoints respond to the client. */
                settings: {
                    /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                    consumer_required?: boolean;
                    /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                    assign_returns_receipt?: boolean;
                };
                /**
                 * @description How the client authenticates: with `bearer` tokens or `hmac` URL signatures.
                 * @enum {string}
                 */
                authentication: "bearer" | "hmac";
                /** @description The replaced key; `null` if the key has not changed. */
                previous_key: string | null;
                /** @description The version of the client, from 1. It increases with every change. */
                version: number;
            };
        };
        "client.updated": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "client.updated";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/client.updated/1";
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
            /** @description The data of client.updated. */
            data: {
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
                /** @description The maximum time until a URL signature expires, in seconds; `null` for `bearer`. */
                signature_max_age: number | null;
                /** @description Settings that change how endpoints respond to the client. */
                settings: {
                    /** @description Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`. */
                    consumer_required?: boolean;
                    /** @description Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`. */
                    assign_returns_receipt?: boolean;
                };
                /**
                 * @description How the client authenticates: with `bearer` tokens or `hmac` URL signatures.
                 * @enum {string}
                 */
                authentication: "bearer" | "hmac";
                /** @description The replaced key; `null` if the key has not changed. */
                previous_key: string | null;
                /** @description The version of the client, from 1. It increases with every change. */
                version: number;
            };
        };
        "delivery.failed": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "delivery.failed";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/delivery.failed/1";
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
            /** @description The data of delivery.failed. */
            data: {
                /** @description The id of the delivery. */
                id: string;
                /** @description The id of the receipt to which the delivery belongs. */
                receipt_id: string;
                /**
                 * @description The channel over which the receipt is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The address or number, masked, such as `j***@example.com`. */
                address: string;
                /** @description Why the delivery failed, was suppressed or has to be retried; `null` otherwise. */
                reason: string | null;
            };
        };
        "delivery.requested": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "delivery.requested";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/delivery.requested/1";
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
            /** @description The data of delivery.requested. */
            data: {
                /** @description The id of the delivery. */
                id: string;
                /** @description The id of the receipt to which the delivery belongs. */
                receipt_id: string;
                /**
                 * @description The channel over which the receipt is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The address or number, masked, such as `j***@example.com`. */
                address: string;
                /** @description Why the delivery failed, was suppressed or has to be retried; `null` otherwise. */
                reason: string | null;
            };
        };
        "delivery.sent": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "delivery.sent";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/delivery.sent/1";
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
            /** @description The data of delivery.sent. */
            data: {
                /** @description The id of the delivery. */
                id: string;
                /** @description The id of the receipt to which the delivery belongs. */
                receipt_id: string;
                /**
                 * @description The channel over which the receipt is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The address or number, masked, such as `j***@example.com`. */
                address: string;
                /** @description Why the delivery failed, was suppressed or has to be retried; `null` otherwise. */
                reason: string | null;
            };
        };
        "delivery.suppressed": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "delivery.suppressed";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/delivery.suppressed/1";
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
            /** @description The data of delivery.suppressed. */
            data: {
                /** @description The id of the delivery. */
                id: string;
                /** @description The id of the receipt to which the delivery belongs. */
                receipt_id: string;
                /**
                 * @description The channel over which the receipt is sent.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "whatsapp";
                /** @description The address or number, masked, such as `j***@example.com`. */
                address: string;
                /** @description Why the delivery failed, was suppressed or has to be retried; `null` otherwise. */
                reason: string | null;
            };
        };
        "identifier.created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "identifier.created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/identifier.created/1";
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
            /** @description The data of identifier.created. */
            data: {
                /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string;
                /** @description When the identifier was created. */
                created_timestamp: string;
                /** @description When the identifier last changed. */
                updated_timestamp: string;
                /** @description When the consumer last changed in your own system, ISO 8601. */
                source_updated_timestamp: string | null;
                /** @description Data about the consumer. Free-form, except for the members listed here. */
                properties: {
                    [key: string]: unknown;
                };
            };
        };
        "identifier.erased": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "identifier.erased";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/identifier.erased/1";
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
            /** @description The data of identifier.erased. */
            data: {
                /** @description The SHA-256 digest of the erased identifier in UTF-8, in hexadecimal digits. */
                identifier_sha256: string;
                /** @description When the consumer was erased. */
                erased_timestamp: string;
            };
        };
        "identifier.updated": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "identifier.updated";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/identifier.updated/1";
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
            /** @description The data of identifier.updated. */
            data: {
                /** @description The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string;
                /** @description When the identifier was created. */
                created_timestamp: string;
                /** @description When the identifier last changed. */
                updated_timestamp: string;
                /** @description When the consumer last changed in your own system, ISO 8601. */
                source_updated_timestamp: string | null;
                /** @description Data about the consumer. Free-form, except for the members listed here. */
                properties: {
                    [key: string]: unknown;
                };
            };
        };
        "loyalty.reward_issued": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "loyalty.reward_issued";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/loyalty.reward_issued/1";
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
            /** @description The data of loyalty.reward_issued. */
            data: {
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
                /** @description The id of the loyalty programme. */
                program_id: number;
            };
        };
        "portal_user.created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "portal_user.created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/portal_user.created/1";
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
            /** @description The data of portal_user.created. */
            data: {
                /** @description The id of the portal user. */
                id: number;
                /** @description The e-mail address with which the user signs in. */
                email: string;
                /** @description The group of the user; empty if there is none. */
                group: string;
                /**
                 * @description Whether the user can sign in (`active`) or not (`inactive`).
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /** @description The references of the stores whose receipts the user may see; `null` for all stores. */
                stores: string[] | null;
                /** @description The e-mails about the business that the user gets; `null` for none. */
                notifications: {
                    /** @description The types of the e-mails. */
                    types: ("daily_totals" | "silent_tills" | "failed_packets" | "disabled_webhooks" | "failing_checks")[];
                    /** @description The references of the stores that the e-mails are about; `null` for all that the user may see. */
                    stores: string[] | null;
                    /** @description The share of failing receipts, in percent, above which an e-mail is sent. */
                    failing_checks_percent: number;
                    /** @description The language of the e-mails; `null` for that of the retailer. */
                    language: ("en" | "fr" | "de" | "es" | "it") | null;
                } | null;
                /** @description The version of the portal user, from 1. It increases with every change. */
                version: number;
            };
        };
        "portal_user.password_reset_requested": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "portal_user.password_reset_requested";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/portal_user.password_reset_requested/1";
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
            /** @description The data of portal_user.password_reset_requested. */
            data: {
                /** @description The id of the portal user. */
                id: number;
                /** @description The e-mail address with which the user signs in. */
                email: string;
                /** @description The group of the user; empty if there is none. */
                group: string;
                /**
                 * @description Whether the user can sign in (`active`) or not (`inactive`).
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /** @description The references of the stores whose receipts the user may see; `null` for all stores. */
                stores: string[] | null;
                /** @description The e-mails about the business that the user gets; `null` for none. */
                notifications: {
                    /** @description The types of the e-mails. */
                    types: ("daily_totals" | "silent_tills" | "failed_packets" | "disabled_webhooks" | "failing_checks")[];
                    /** @description The references of the stores that the e-mails are about; `null` for all that the user may see. */
                    stores: string[] | null;
                    /** @description The share of failing receipts, in percent, above which an e-mail is sent. */
                    failing_checks_percent: number;
                    /** @description The language of the e-mails; `null` for that of the retailer. */
                    language: ("en" | "fr" | "de" | "es" | "it") | null;
                } | null;
                /** @description The version of the portal user, from 1. It increases with every change. */
                version: number;
                /** @description The id of the password reset. */
                reset_id: string;
            };
        };
        "portal_user.updated": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "portal_user.updated";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/portal_user.updated/1";
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
            /** @description The data of portal_user.updated. */
            data: {
                /** @description The id of the portal user. */
                id: number;
                /** @description The e-mail address with which the user signs in. */
                email: string;
                /** @description The group of the user; empty if there is none. */
                group: string;
                /**
                 * @description Whether the user can sign in (`active`) or not (`inactive`).
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /** @description The references of the stores whose receipts the user may see; `null` for all stores. */
                stores: string[] | null;
                /** @description The e-mails about the business that the user gets; `null` for none. */
                notifications: {
                    /** @description The types of the e-mails. */
                    types: ("daily_totals" | "silent_tills" | "failed_packets" | "disabled_webhooks" | "failing_checks")[];
                    /** @description The references of the stores that the e-mails are about; `null` for all that the user may see. */
                    stores: string[] | null;
                    /** @description The share of failing receipts, in percent, above which an e-mail is sent. */
                    failing_checks_percent: number;
                    /** @description The language of the e-mails; `null` for that of the retailer. */
                    language: ("en" | "fr" | "de" | "es" | "it") | null;
                } | null;
                /** @description The version of the portal user, from 1. It increases with every change. */
                version: number;
            };
        };
        "pos_receipt.accepted": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "pos_receipt.accepted";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/pos_receipt.accepted/1";
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
            /** @description The data of pos_receipt.accepted. */
            data: {
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
            };
        };
        "pos_receipt.converted": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "pos_receipt.converted";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/pos_receipt.converted/1";
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
            /** @description The data of pos_receipt.converted. */
            data: {
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
                /** @description The mapping that was used last; `null` if none was chosen. */
                mapping: components["schemas"]["MappingVersion"] | null;
                /** @description The ids of all receipts of the packet. */
                receipt_ids: string[];
            };
        };
        "pos_receipt.failed": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "pos_receipt.failed";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/pos_receipt.failed/1";
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
            /** @description The data of pos_receipt.failed. */
            data: {
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
                /** @description The mapping that was used last; `null` if none was chosen. */
                mapping: components["schemas"]["MappingVersion"] | null;
                /**
                 * @description Why the conversion failed.
                 * @enum {string}
                 */
                reason: "no_mapping" | "decode_failed" | "mapping_failed" | "timeout" | "too_large" | "invalid_receipt" | "duplicate_transaction_id" | "crashed";
                /** @description The errors of a failed conversion. */
                errors: components["schemas"]["PacketFault"][];
            };
        };
        "receipt.assigned": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.assigned";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.assigned/1";
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
            /** @description The data of receipt.assigned. */
            data: components["schemas"]["ReceiptFacts"];
        };
        "receipt.check_failed": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.check_failed";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.check_failed/1";
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
            /** @description The data of receipt.check_failed. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                external_id: string | null;
                /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string | null;
                /** @description The reference of the store, as posted. */
                store_reference: string;
                /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description The total of the receipt, in its currency. */
                total: number;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
                /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                duplicate: boolean;
                /** @description The checks that the receipt fails. */
                codes: ("items_total" | "payments_total" | "taxes_total" | "net_total" | "item_total" | "fiscal_signature" | "fiscal_amounts" | "fiscal_fields")[];
            };
        };
        "receipt.created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.created/1";
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
            /** @description The data of receipt.created. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                external_id: string | null;
                /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string | null;
                /** @description The reference of the store, as posted. */
                store_reference: string;
                /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description The total of the receipt, in its currency. */
                total: number;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
                /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                duplicate: boolean;
                /** @description The receipt after the change, as `GET /receipts/{id}` returns it. */
                receipt: components["schemas"]["ReturnedReceipt"];
            };
        };
        "receipt.deleted": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.deleted";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.deleted/1";
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
            /** @description The data of receipt.deleted. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description When the receipt was deleted. */
                deleted_timestamp: string;
            };
        };
        "receipt.gift_created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.gift_created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.gift_created/1";
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
            /** @description The data of receipt.gift_created. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                external_id: string | null;
                /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string | null;
                /** @description The reference of the store, as posted. */
                store_reference: string;
                /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description The total of the receipt, in its currency. */
                total: number;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
                /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                duplicate: boolean;
                gift_id: components["schemas"]["GiftId"];
                /** @description The indexes of the chosen items in the `items` of the receipt. */
                items: number[];
                /** @description The last day on which the items can be returned. */
                until: string | null;
            };
        };
        "receipt.updated": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.updated";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.updated/1";
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
            /** @description The data of receipt.updated. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                external_id: string | null;
                /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string | null;
                /** @description The reference of the store, as posted. */
                store_reference: string;
                /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description The total of the receipt, in its currency. */
                total: number;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
                /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                duplicate: boolean;
                /** @description The receipt after the change, as `GET /receipts/{id}` returns it. */
                receipt: components["schemas"]["ReturnedReceipt"];
            };
        };
        "receipt.viewed": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.viewed";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.viewed/1";
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
            /** @description The data of receipt.viewed. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                external_id: string | null;
                /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string | null;
                /** @description The reference of the store, as posted. */
                store_reference: string;
                /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description The total of the receipt, in its currency. */
                total: number;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
                /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                duplicate: boolean;
                /**
                 * @description Whether a person or a program has viewed the receipt.
                 * @enum {string}
                 */
                viewer: "person" | "bot";
                /** @description The number of views by this kind of viewer, including this one. */
                views: number;
                /** @description Whether this kind of viewer has viewed the receipt before. */
                repeated: boolean;
            };
        };
        "receipt.voided": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "receipt.voided";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/receipt.voided/1";
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
            /** @description The data of receipt.voided. */
            data: {
                /** @description The id of the receipt: 24 hexadecimal digits. */
                id: string;
                /** @description Your own number for the sale, unique per retailer. */
                transaction_id: string;
                /** @description A UUIDv4 of your choice, unique per retailer. It is stored in lower case. */
                external_id: string | null;
                /** @description The consumer who owns the receipt: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`. */
                identifier: string | null;
                /** @description The reference of the store, as posted. */
                store_reference: string;
                /** @description When the sale took place, ISO 8601 in UTC with the offset `+00:00`. */
                timestamp: string;
                /** @description The total of the receipt, in its currency. */
                total: number;
                /** @description The currency of the receipt, an ISO 4217 code such as `EUR`. */
                currency: string;
                /** @description Whether this is another copy of a receipt, which is excluded from statistics and loyalty programmes. */
                duplicate: boolean;
                /** @description When and why the receipt was voided; `null` if it was not. A voided receipt is excluded from summaries, totals and loyalty programmes. */
                voided: {
                    /** @description When the receipt was voided, ISO 8601 in UTC with the offset `+00:00`. */
                    timestamp: string;
                    /** @description Why the receipt was voided. */
                    reason: string | null;
                    /** @description Your own number for the void. */
                    transaction_id: string | null;
                } | null;
            };
        };
        "retailer.updated": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "retailer.updated";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/retailer.updated/1";
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
            /** @description The data of retailer.updated. */
            data: {
                /** @description The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes. */
                id: string;
                /** @description The name of the retailer, shown on receipts. */
                name: string;
                /** @description The VAT number of the retailer, shown on receipts. */
                vatno: string | null;
                settings: components["schemas"]["RetailerSettings"];
                /** @description The version of the retailer, from 1. It increases with every change. */
                version: number;
            };
        };
        "store.created": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "store.created";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/store.created/1";
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
            /** @description The data of store.created. */
            data: {
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
                /** @description The id of the retailer that owns the store. */
                retailer: string;
                /** @description The version of the store, from 1. It increases with every change. */
                version: number;
            };
        };
        "store.updated": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "store.updated";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/store.updated/1";
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
            /** @description The data of store.updated. */
            data: {
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
                /** @description The id of the retailer that owns the store. */
                retailer: string;
                /** @description The version of the store, from 1. It increases with every change. */
                version: number;
            };
        };
        "till.back": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "till.back";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/till.back/1";
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
            /** @description The data of till.back. */
            data: {
                /** @description The reference of the store, as the till sends it. */
                store_reference: string;
                /** @description The id of the till; `null` for receipts without one. */
                till_uuid: string | null;
                /**
                 * Format: date-time
                 * @description When the last receipt or raw data arrived.
                 */
                last_received: string;
            };
        };
        "till.silent": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "till.silent";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/till.silent/1";
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
            /** @description The data of till.silent. */
            data: {
                /** @description The reference of the store, as the till sends it. */
                store_reference: string;
                /** @description The id of the till; `null` for receipts without one. */
                till_uuid: string | null;
                /**
                 * Format: date-time
                 * @description When the last receipt or raw data arrived.
                 */
                last_received: string;
            };
        };
        "webhook.disabled": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "webhook.disabled";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/webhook.disabled/1";
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
            /** @description The data of webhook.disabled. */
            data: {
                /** @description The id of the disabled endpoint. */
                id: string;
                /** @description Your note about the disabled endpoint. */
                description: string | null;
                /**
                 * @description The filter no longer fits the settings.
                 * @constant
                 */
                disabled_reason: "invalid_filter";
                /** @description The filter that is no longer valid. */
                filter: string;
            };
        };
        "webhook.endpoint_disabled": {
            /**
             * @description The version of CloudEvents.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the event. An event that is delivered again has the same id. */
            id: string;
            /** @description The collection of the subject, `/retailers/<retailer>/<collection>`. */
            source: string;
            /**
             * @description The type of the event, such as `receipt.created`.
             * @constant
             */
            type: "webhook.endpoint_disabled";
            /** @description The id of the object that the event is about. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event occurred, ISO 8601 in UTC.
             */
            time: string;
            /**
             * @description The media type of `data`: always `application/json`.
             * @constant
             */
            datacontenttype: "application/json";
            /**
             * @description The path of the JSON Schema of `data`, relative to the base URL.
             * @constant
             */
            dataschema: "/schemas/webhook.endpoint_disabled/1";
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
            /** @description The data of webhook.endpoint_disabled. */
            data: {
                /** @description The id of the disabled endpoint. */
                id: string;
                /** @description Your note about the disabled endpoint. */
                description: string | null;
                /**
                 * @description Why the platform has disabled the endpoint.
                 * @enum {string}
                 */
                reason: "gone" | "failing" | "invalid_filter";
                /** @description The time since which all attempts have failed; `null` if they have not. */
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

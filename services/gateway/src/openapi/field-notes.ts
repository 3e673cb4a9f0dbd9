type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Descriptions of members of bodies and parameters that mean the same everywhere, so that they are written once. A
 * schema's own description takes precedence.
 */
const notes: Readonly<Record<string, string>> = {
  // What a receipt is made of.
  transaction_id: 'The number of the sale at the retailer, unique for each retailer.',
  external_id: 'A UUIDv4 that the retailer gave it, unique for each retailer.',
  identifier:
    'The consumer: the number of a loyalty card, an e-mail address, or another name that the retailer uses.',
  localtime:
    'Date and time of the sale, ISO 8601. Without an offset the time zone of the receipt, the store or the retailer holds.',
  timestamp: 'Date and time in UTC.',
  store_reference: 'The reference of the store, or its external reference.',
  total: 'What was to be paid, in the currency of the receipt.',
  subtotal: 'What it came to before discounts and taxes, as the retailer counts.',
  net: 'The amount without taxes.',
  gross: 'The amount with taxes.',
  items: 'What was sold or taken back, in the order of the slip.',
  quantity: 'How many, or how much of the unit. Negative for what was taken back.',
  unit: 'What the quantity counts, such as `pcs` or `kg`.',
  unit_price: 'The price of one.',
  gross_unit_price: 'The price of one with taxes.',
  net_unit_price: 'The price of one without taxes.',
  amount: 'An amount of money, in the currency of the receipt. Signs are the retailer’s.',
  vat: 'Value-added tax. Deprecated: use `taxes`.',
  rate: 'The rate in percent.',
  taxes: 'Taxes that are part of the amount.',
  discounts: 'What was taken off the price. Signs are the retailer’s.',
  percentage: 'The discount in percent.',
  return: 'Present on an item that was brought back.',
  dynamic: 'Fields that are configured for the retailer; they can be searched.',
  incomplete: 'True while something is missing from the receipt.',
  duplicate: 'True for another copy of a receipt that was posted before.',
  payments: 'How it was paid.',
  method: 'How it was paid, such as `card`, `cash` or `giftcard`.',
  number: 'Of a card the last four digits, of a gift card its number.',
  issue: 'The issue number of the card.',
  start: 'From when the card is valid.',
  end: 'Until when the card is valid.',
  po_number: 'The number of the purchase order.',
  change: 'The change that was given.',
  rounding: 'What was rounded off in cash.',
  expiry: 'Until when the gift card is valid.',
  balance: 'What is left on the gift card.',
  l10n: 'Language, time zone and currency of the receipt. What is missing is taken from the store, then from the retailer.',
  locale: 'A locale, such as `en_GB`.',
  translation_locale: 'The locale of the translations to show, such as `de_AT`.',
  timezone: 'A time zone of the IANA database, such as `Europe/Paris`.',
  currency: 'A currency of ISO 4217, such as `EUR`.',
  till_uuid: 'The id of the till.',
  till_id: 'The name of the till.',
  pos_data_ids: 'The packets from which the receipt was made.',
  attachments: 'Files that belong to it, each under a label.',
  properties: 'Whatever else is to be kept. Free, but for the members that are listed.',
  details: 'Further details.',
  email_settings: 'Whether and how this receipt is sent by e-mail.',
  messaging_settings: 'Whether this receipt is sent by text message.',
  send: 'True to send it, false never to.',
  template: 'The template of the message.',
  block: 'True to send it to nobody.',
  // Settings, forms and mappings.
  sms: 'Text messages (SMS).',
  whatsapp: 'Messages over WhatsApp.',
  receipt: 'What concerns whole receipts.',
  enabled: 'False to switch it off.',
  card_number: 'The number on the card.',
  registration_code: 'The code that came with the card.',
  stores: 'How the stores of receipts are dealt with.',
  from_receipt: 'Whether a store that a receipt names is made from what the receipt says.',
  require_known: 'Whether receipts of unknown stores are refused.',
  reply_to: 'The address for answers to mails.',
  auto_send: 'Whether receipts are sent by e-mail on arrival.',
  portal_groups: 'The names that groups of portal users may have.',
  cards: 'How cards of consumers are dealt with.',
  check: 'How the check digit of a card number is computed.',
  loyalty: 'The loyalty programmes.',
  rule: 'For what points are given.',
  spend: 'The points for what is spent.',
  dynamic_fields: 'The fields under `dynamic` that can be searched, and their types.',
  search_default_operator: 'How words of a search without an operator are joined.',
  brand: 'How renderings look.',
  colour: 'The colour of headings, such as `#0a6`.',
  links: 'Links at the end of a rendering.',
  all: 'True for everything, instead of a list.',
  ids: 'The ids of what is meant.',
  operator: 'The token of the operator.',
  csrf: 'The secret of the form, which the page contains.',
  everywhere: 'Whether all sessions end.',
  action: 'What is to be done.',
  password: 'The password.',
  transform: 'How decoded data become a receipt.',
  language: 'The language of the expression.',
  expect: 'The receipt that must result, or several.',
  // Things and their facts.
  id: 'Names this thing; unique for each retailer.',
  name: 'The name for people to read.',
  description: 'A sentence for people.',
  title: 'The title for people to read.',
  code: 'A short word for programs.',
  status: 'The state that it is in.',
  reason: 'Why it is so.',
  type: 'What kind it is.',
  value: 'The value.',
  version: 'Counts the changes, from 1.',
  url: 'Where it can be fetched.',
  href: 'The address, relative to the base URL.',
  _links: 'Where to go from here.',
  next: 'The next page; absent on the last one.',
  prev: 'The page before; absent on the first one.',
  newer: 'What has arrived since.',
  latest: 'The first page.',
  webview: 'The receipt as a page.',
  pdf: 'The receipt as a PDF.',
  qrcode: 'A QR code of the page.',
  size: 'Bytes.',
  count: 'How many.',
  content_type: 'The media type.',
  content_disposition: 'A Content-Disposition header, for the name of the file.',
  filename: 'The name of the file.',
  data: 'The bytes, in base64.',
  created_timestamp: 'When it was made.',
  updated_timestamp: 'When it was last changed.',
  source_updated_timestamp: 'When it was last changed where it comes from.',
  received_timestamp: 'When it came in.',
  requested_timestamp: 'When it was asked for.',
  first_receipt_timestamp: 'When the first receipt was issued.',
  last_receipt_timestamp: 'When the last receipt was issued.',
  receipt_timestamp: 'When the receipt was issued.',
  attempts: 'How often it was tried.',
  errors: 'Everything that is wrong.',
  message: 'A sentence for people.',
  path: 'A JSON Pointer to the place.',
  pretty: 'Readable formatting of the answer.',
  // People, stores, retailers.
  email: 'An e-mail address.',
  phone: 'A telephone number.',
  address: 'The lines of the address.',
  city: 'The city.',
  postcode: 'The postcode.',
  country: 'A country of ISO 3166, three letters, such as `FRA`.',
  house_number: 'The number of the house.',
  birthdate: 'The date of birth.',
  gender: 'The gender, as the retailer writes it.',
  first: 'The first name.',
  middle: 'The middle name.',
  last: 'The last name.',
  'opt-out': 'What this consumer does not want to be sent, such as `receipts`.',
  'opt-out+=': 'Tags to add to `opt-out`.',
  'opt-out-=': 'Tags to take from `opt-out`.',
  summary: 'What the consumer’s receipts come to.',
  vatno: 'The VAT number.',
  retailer: 'The retailer.',
  store: 'The store.',
  reference: 'The retailer’s number of the store.',
  external_reference: 'The retailer’s own name of the store.',
  settings: 'Settings; see the description of each.',
  channels: 'Ways to send a receipt, such as `email`.',
  channel: 'The way on which it is sent.',
  email_address: 'Sent to this address instead of the one that is known.',
  phone_number: 'Sent to this number instead of the one that is known.',
  resolve: 'True to be told where it would go, without sending anything.',
  // Pages of the portal.
  host: 'Names the site that the form belongs to.',
  'sec-fetch-site': 'Says whether the page that sends it is one of ours (Fetch Metadata).',
  messages: 'How many messages it was done to.',
  packet: 'The id of the raw receipt.',
  packet_id: 'The id of the raw receipt.',
  'sec-fetch-dest': 'Says whether a person or a script of the page asks (Fetch Metadata).',
  customer: 'A card number, an e-mail address, or the beginning of one.',
  transaction: 'The number of the sale.',
  item: 'A word in the name of an item.',
  from: 'The first day.',
  to: 'The last day.',
  done: 'What has just been done, to be said on the page.',
  // Clients and tokens.
  permissions: 'What it may do, such as `view.get_receipt`; `view.*` is everything.',
  'permissions+=': 'Permissions to add.',
  'permissions-=': 'Permissions to take away.',
  key: 'The access key: `key` of a URL signature, `kid` of a token.',
  secret: 'The shared secret in base64. Shown when it was made or changed, never later.',
  revoked: 'True when it is refused from now on.',
  consumer_required: 'True when lists, searches and single reads need `consumer`.',
  assign_returns_receipt: 'True when assigning a receipt answers with the receipt.',
  signature_max_age: 'How many seconds ahead the expiry of a signature may lie.',
  jti: 'The id of the token.',
  expires: 'When it expires; null for never.',
  issued: 'When it was issued.',
  last_used: 'When it was last used; null for never.',
  token: 'The token itself. It is never shown again.',
  // Search.
  query: 'A query in the search language: `path:value`, separated by blanks.',
  hits: 'How many there are in all.',
  hits_relation: '`eq`, or `at_least` when counting was cut short by its time.',
  time: 'Milliseconds that it took.',
  offset: 'How many to pass over.',
  // Raw data.
  source_id: 'The source of the entry.',
  entry_id: 'The entry at its source: posted again it is accepted and not converted twice.',
  source_read: 'When the entry was made, ISO 8601.',
  metadata: 'What was said about the packet when it was posted.',
  mapping: 'The mapping that converts it.',
  receipt_id: 'The first receipt that was made of it.',
  receipt_ids: 'All receipts that were made of it.',
  input_base64: 'Raw data, in base64.',
  codepage: 'The code page of the text, such as `cp858`.',
  columns: 'The width of the paper, in characters.',
  split: 'What stands between two receipts.',
  expression: 'What makes receipts of the data, in JSONata.',
  samples: 'Examples with what must come out of them; a mapping that fails one cannot be activated.',
  defaults: 'What a receipt has where the mapping gives nothing.',
  fields: 'Single values, by the lines in which they stand.',
  tables: 'Lists of lines, such as the items.',
  timeout_ms: 'Milliseconds of processor time.',
  memory_mb: 'Megabytes of memory.',
  max_output_kb: 'The largest result, in kilobytes.',
  max_receipts: 'The most receipts of one packet.',
  queue: 'The queue.',
  trace_id: 'The trace in which it happened.',
  request_id: 'The request in which it began.',
};

/** Parameters that are alike everywhere. */
const parameterNotes: Readonly<Record<string, string>> = {
  id: 'The id of the thing.',
  reference: 'The reference of the store, or its external reference, percent-encoded.',
  identifier: 'The identifier of the consumer, percent-encoded.',
  email: 'The e-mail address, percent-encoded.',
  authentication: '`bearer` for tokens, `hmac` for URL signatures.',
  client_id: 'The id of the client.',
  program_id: 'The id of the loyalty programme.',
  'if-match': 'The `ETag` that was read: the change is made only to that version, else it is 412.',
  'accept-language': 'The languages that the reader prefers.',
  'if-none-match': 'The `ETag` that the caller has: where it still holds, the answer is 304 without a body.',
  'user-agent': 'The program that asks.',
  cookie: 'Cookies that an answer of this service has set.',
  origin: 'The site from which a form was sent.',
  token: 'The secret of the link.',
  program: 'The loyalty programme.',
  'content-disposition': '`attachment; filename=<name>`: the name of the file.',
  count: 'How many at most.',
  older: 'From where to go on: taken from the link `next`.',
  status: 'Only those in this state.',
  reason: 'Only those with this reason.',
  version: 'This version instead of the newest.',
};

/** Examples of parameters whose schemas have none, in the form in which they are sent. */
const parameterExamples: Readonly<Record<string, string | number>> = {
  consumer: 'jane@example.com',
  id: '6a1f3c2b9d4e5f60718293a4',
  store_id: '17',
  store_reference: '1',
  reference: '1',
  transaction_id: '2026-03-14/17/4711',
  newer: '6a1f3c2b9d4e5f60718293a4',
  older: '6a1f3c2b9d4e5f60718293a4',
  next: '6a1f3c2b9d4e5f60718293a4',
  prev: '6a1f3c2b9d4e5f60718293a4',
  query: 'coffee',
  external_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  till_id: '3',
  till_uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  source_id: 'pos-4',
  identifier: 'jane@example.com',
  mapping: 'vendor-json',
  attachment_id: '6a1f3c2b9d4e5f60718293a4',
  'if-match': '"3"',
  'if-none-match': '"3"',
  'content-disposition': 'attachment; filename=guarantee.pdf',
  'accept-language': 'fr-FR, en;q=0.8',
  'user-agent': 'Mozilla/5.0',
  'sec-purpose': 'prefetch',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-dest': 'document',
  'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
  'x-hub-signature-256': 'sha256=7d38cdd689735b008b3c702edd92eea23791c5f6',
  'hub.mode': 'subscribe',
  'hub.verify_token': 'word',
  'hub.challenge': '1158201444',
  cookie: 'portal=1a2b3c',
  host: 'receipts.example',
  origin: 'https://receipts.example',
  retailer: 'demo',
  account: 'messages',
  ref: 'main',
  count: 20,
  offset: 0,
  lang: 'fr_FR',
  token: 'Q2hhbmdlTWU',
  type: 'receipt.created',
  types: 'receipt.*',
  after: '1042',
  wait: 1,
  from_timestamp: '2026-03-01T00:00:00Z',
  to_timestamp: '2026-04-01T00:00:00Z',
  from: '2026-03-01',
  to: '2026-03-31',
  program_id: 'club',
  authentication: 'bearer',
  name: 'warehouse',
  email: 'jo@demo.example',
  client_id: '1',
  queue: 'ingest.commands',
  done: 'replayed',
  messages: 3,
  reason: 'no_mapping',
  status: 'failed',
  packet: '6a1f3c2b9d4e5f60718293a4',
  packet_id: '6a1f3c2b9d4e5f60718293a4',
  customer: 'jane@example.com',
  transaction: '4711',
  store: '1',
  item: 'coffee',
  version: 2,
};

/** An example for a parameter; undefined if its schema says enough. */
export function parameterExample(name: string, schema: JsonSchema): string | number | undefined {
  const says = ['examples', 'enum', 'default', 'const'].some((keyword) => keyword in schema);
  // Facts of raw receipts are told by headers, too.
  const fact = name.replace(/^service-/, '').replaceAll('-', '_');
  const example = parameterExamples[name] ?? parameterExamples[fact];
  if (says || schema['type'] === 'boolean' || example === undefined) return undefined;
  if (schema['type'] === 'string') return String(example);
  if (schema['type'] !== 'integer' && schema['type'] !== 'number') return example;
  // Some lists count what they page through, others name it.
  return Number.isNaN(Number(example)) ? 42 : Number(example);
}

export function parameterNote(name: string): string | undefined {
  return parameterNotes[name] ?? notes[name];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noted(name: string, schema: unknown): unknown {
  if (!isSchema(schema)) return schema;
  const below = withNotes(schema);
  const note = notes[name];
  return note === undefined || '$ref' in below || 'description' in below
    ? below
    : { ...below, description: note };
}

/** The schema with a description added to each member that has none. */
export function withNotes(schema: JsonSchema): JsonSchema {
  const next: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' && isSchema(value)) {
      next[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, noted(name, member)]),
      );
    } else if (keyword === '$defs' && isSchema(value)) {
      next[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, isSchema(member) ? withNotes(member) : member]),
      );
    } else if (Array.isArray(value) && /^(?:anyOf|oneOf|allOf|prefixItems)$/.test(keyword)) {
      next[keyword] = value.map((each: unknown) => (isSchema(each) ? withNotes(each) : each));
    } else if (isSchema(value) && /^(?:items|additionalProperties)$/.test(keyword))
      next[keyword] = withNotes(value);
    else next[keyword] = value;
  }
  return next;
}

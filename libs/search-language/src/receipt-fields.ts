import {
  catalogueOf,
  elementsOf,
  isObject,
  isPresent,
  reach,
  type DynamicFieldType,
  type Field,
  type FieldCatalogue,
  type FieldType,
  type SearchableRecord,
} from './fields';

/** The types of a retailer's dynamic fields by key, for receipts and for items. */
export interface DynamicFields {
  readonly receipt?: Readonly<Record<string, DynamicFieldType>>;
  readonly item?: Readonly<Record<string, DynamicFieldType>>;
}

type Read = (holder: SearchableRecord) => unknown;

const digitsOnly = /^\d+$/;

const at =
  (...path: string[]): Read =>
  (holder) =>
    reach(holder, path);

/** Reads a property of each object in an array, such as `discounts`, `name`. */
const each = (array: string, key: string): Read => {
  const path = [key];
  return (holder) => elementsOf(holder[array]).map((element) => reach(element, path));
};

/** Reads a detail of each payment, which may be next to its amount or within `details`. */
const payment = (key: string): Read => {
  const within = ['details', key];
  return (holder) => {
    const found: unknown[] = [];
    for (const one of elementsOf(holder['payments'])) {
      if (isObject(one)) found.push(one[key], reach(one, within));
    }
    return found;
  };
};

const lengthOf =
  (key: string): Read =>
  (holder) => {
    const array = holder[key];
    return Array.isArray(array) ? array.length : 0;
  };

/** The sum of the discounts' quantities. Discounts without a quantity count as zero. */
const discountsQuantity: Read = (holder) => {
  let sum = 0;
  for (const discount of elementsOf(holder['discounts'])) {
    const quantity = reach(discount, ['quantity']);
    if (typeof quantity === 'number') sum += quantity;
  }
  return sum;
};

/** The name in all its languages. */
const names: Read = (item) => {
  const found: unknown[] = [];
  for (const key of Object.keys(item)) if (key === 'name' || key.startsWith('name:')) found.push(item[key]);
  return found;
};

/**
 * A posted reference that consists of digits is a store number. Any other reference is the retailer's own name for the
 * store.
 */
const externalStoreReference: Read = (record) => {
  const posted = record['store_reference'];
  const isName = typeof posted === 'string' && !digitsOnly.test(posted);
  return [record['external_store_reference'], isName ? posted : null];
};

function receiptField(
  path: string,
  type: FieldType,
  code: string,
  read: Read,
  more: Partial<Field> = {},
): Field {
  return { path, type, code, level: 'record', read, ...more };
}

/** A number or date with a single value per receipt. An array exists, but does not equal any value. */
function singleField(path: string, type: FieldType, code: string): Field {
  const read: Read = (record) => {
    const value = reach(record, [path]);
    return Array.isArray(value) && isPresent(value) ? { several: value } : value;
  };
  return receiptField(path, type, code, read, { single: true });
}

function itemField(
  path: string,
  type: FieldType,
  code: string,
  read: Read,
  more: Partial<Field> = {},
): Field {
  return { path: `items.${path}`, type, code, level: 'item', read, ...more };
}

const usual = { usual: true };
/** Numbers that every receipt has, usually with this value. */
const usually = (expected: number) => ({ usual: true, expected });
/** Most identifiers are e-mail addresses. */
const addresses = { whole: true, commonSymbols: '.@' };
const identifier = {
  ...addresses,
  refusedWithConsumer: 'identifier',
  column: { path: 'identifier', from: '' },
};
const quantity = { ...usually(1), fractions: 'ix' };

/** The prefix of the keys of known stores, and the first string after all of these keys. */
const knownStore = 'id:';
const afterKnownStores = 'id;';
const storeIdMax = Number.MAX_SAFE_INTEGER;

/** The key of a store id. Keys sort like the ids, because the number of digits comes first. */
export function keyOfStoreId(id: number): string {
  const text = String(Math.min(id, storeIdMax));
  return `${knownStore}${text.length.toString(36)}${text}`;
}

const storeId: Field['column'] = {
  path: 'store_key',
  from: knownStore,
  to: afterKnownStores,
  of: (id) => (id < 0 ? knownStore : id > storeIdMax ? afterKnownStores : keyOfStoreId(id)),
};

const fixedFields: readonly Field[] = [
  receiptField('transaction_id', 'partial', 'tr', at('transaction_id'), { usual: true, commonSymbols: '-' }),
  singleField('timestamp', 'date', 'ts'),
  singleField('total', 'float', 'to'),
  receiptField('store_id', 'integer', 'si', at('store_id'), { column: storeId }),
  singleField('store_reference', 'integer', 'sr'),
  receiptField('external_store_reference', 'exact', 'se', externalStoreReference),
  receiptField('identifier', 'prefix', 'id', at('identifier'), identifier),
  receiptField('identifier.exact', 'exact', 'id', at('identifier'), identifier),
  receiptField('pos_data_ids', 'exact', 'pd', at('pos_data_ids')),
  receiptField('items_length', 'integer', 'il', lengthOf('items'), usual),
  receiptField('discounts', 'exists', 'di', at('discounts')),
  receiptField('discounts.name', 'partial', 'dn', each('discounts', 'name')),
  receiptField('discounts.quantity', 'integer', 'dq', each('discounts', 'quantity')),
  receiptField('discounts.amount', 'float', 'da', each('discounts', 'amount')),
  receiptField('discounts_length', 'integer', 'dl', lengthOf('discounts'), usually(0)),
  receiptField('discounts_quantity', 'integer', 'ds', discountsQuantity, usually(0)),
  receiptField('payments', 'exists', 'pa', at('payments'), usual),
  receiptField('payments.change', 'float', 'pc', payment('change')),
  receiptField('payments.number', 'exact', 'pn', payment('number')),
  receiptField('payments.method', 'exact', 'pm', payment('method'), usual),
  receiptField('payments.issue', 'exact', 'pi', payment('issue')),
  receiptField('payments.start', 'exact', 'ps', payment('start')),
  receiptField('payments.end', 'exact', 'pe', payment('end')),
  receiptField('payments.po_number', 'exact', 'po', payment('po_number')),
  receiptField('payments.brand', 'exact', 'pb', payment('brand')),
  receiptField('payments.authorization_code', 'exact', 'pz', payment('authorization_code')),
  receiptField('payments.terminal_id', 'exact', 'pt', payment('terminal_id')),
  receiptField('payments.rrn', 'exact', 'pf', payment('rrn')),
  receiptField('payments.tip', 'float', 'pv', each('payments', 'tip')),
  receiptField('payments_length', 'integer', 'pl', lengthOf('payments'), usually(1)),
  receiptField('charges', 'exists', 'ch', at('charges')),
  receiptField('charges.name', 'partial', 'cn', each('charges', 'name')),
  receiptField('charges.amount', 'float', 'ca', each('charges', 'amount')),
  receiptField('fiscal', 'exists', 'fi', at('fiscal')),
  receiptField('fiscal.regime', 'exact', 'fr', at('fiscal', 'regime')),
  receiptField('fiscal.device_id', 'exact', 'fd', at('fiscal', 'device_id')),
  receiptField('fiscal.number', 'exact', 'fn', at('fiscal', 'number')),
  receiptField('related.id', 'exact', 'rl', each('related', 'id')),
  receiptField('related.transaction_id', 'exact', 'rt', each('related', 'transaction_id')),
  receiptField('checks', 'exact', 'ck', at('checks')),
  receiptField('voided', 'exists', 'vo', at('voided')),
  receiptField('voided.timestamp', 'date', 'vt', at('voided', 'timestamp')),
  receiptField('properties', 'exists', 'pr', at('properties')),
  receiptField('properties.email', 'prefix', 'em', at('properties', 'email'), addresses),
  receiptField('properties.email.exact', 'exact', 'em', at('properties', 'email'), addresses),
  receiptField('properties.operator', 'exact', 'op', at('properties', 'operator')),
  receiptField('properties.salesperson', 'partial', 'sp', at('properties', 'salesperson')),
  receiptField('dynamic', 'exists', 'dy', at('dynamic')),
  itemField('name', 'partial', 'in', names, usual),
  itemField('quantity', 'integer', 'iq', at('quantity'), quantity),
  itemField('quantity.decimal', 'float', 'iq', at('quantity'), quantity),
  itemField('unit', 'exact', 'iu', at('unit')),
  itemField('gtin', 'exact', 'ib', at('gtin')),
  itemField('lot', 'exact', 'ic', at('lot')),
  itemField('serial', 'exact', 'is', at('serial')),
  itemField('total', 'float', 'it', at('total'), usual),
  itemField('discounts', 'exists', 'ii', at('discounts')),
  itemField('discounts.name', 'partial', 'ie', each('discounts', 'name')),
  itemField('discounts.quantity', 'integer', 'if', each('discounts', 'quantity')),
  itemField('discounts.amount', 'float', 'ia', each('discounts', 'amount')),
  itemField('discounts_length', 'integer', 'ig', lengthOf('discounts'), usually(0)),
  itemField('discounts_quantity', 'integer', 'ih', discountsQuantity, usually(0)),
  itemField('return', 'exists', 'ir', at('return')),
  itemField('return.localtime', 'date', 'ij', at('return', 'localtime')),
  itemField('return.reason', 'partial', 'ik', at('return', 'reason')),
  itemField('properties', 'exists', 'ip', at('properties')),
  itemField('properties.details', 'partial', 'im', at('properties', 'details')),
  itemField('properties.product_code', 'exact', 'io', at('properties', 'product_code')),
  itemField('dynamic', 'exists', 'iy', at('dynamic')),
];

/** The fields by which receipts are searched: those of the interface, and the retailer's dynamic fields. */
export function receiptFields(dynamic: DynamicFields = {}): FieldCatalogue {
  const own = Object.entries(dynamic.receipt ?? {}).map(([key, type]) =>
    receiptField(`dynamic.${key}`, type, `r.${codeOfKey(key)}`, at('dynamic', key)),
  );
  const ofItems = Object.entries(dynamic.item ?? {}).map(([key, type]) =>
    itemField(`dynamic.${key}`, type, `i.${codeOfKey(key)}`, at('dynamic', key)),
  );
  return own.length + ofItems.length === 0 ? fixed : catalogueOf([...fixedFields, ...own, ...ofItems]);
}

const fixed = catalogueOf(fixedFields);

/** Retailers choose the keys. Encoding ensures that they contain no separators of code and value. */
const codeOfKey = (key: string): string => encodeURIComponent(key.replace(/\p{Surrogate}/gu, '\ufffd'));

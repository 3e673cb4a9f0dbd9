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

/** The types of a retailer's dynamic fields by key, of receipts and of items. */
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

/** Reads a detail of each payment, which may be beside its amount or within `details`. */
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
 * A posted reference that consists of digits is a store number. Any other one is the retailer's own name of the store.
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
  more: { indexed?: boolean; single?: boolean; refusedWithConsumer?: string } = {},
): Field {
  return { path, type, code, level: 'record', indexed: true, read, ...more };
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
  more: { indexed?: boolean } = {},
): Field {
  return { path: `items.${path}`, type, code, level: 'item', indexed: true, read, ...more };
}

const common = { indexed: false };
const ownConsumer = { refusedWithConsumer: 'identifier' };

const fixedFields: readonly Field[] = [
  receiptField('transaction_id', 'partial', 'tr', at('transaction_id')),
  singleField('timestamp', 'date', 'ts'),
  singleField('total', 'float', 'to'),
  singleField('store_id', 'integer', 'si'),
  singleField('store_reference', 'integer', 'sr'),
  receiptField('external_store_reference', 'exact', 'se', externalStoreReference),
  receiptField('identifier', 'prefix', 'id', at('identifier'), ownConsumer),
  receiptField('identifier.exact', 'exact', 'id', at('identifier'), ownConsumer),
  receiptField('pos_data_ids', 'exact', 'pd', at('pos_data_ids')),
  receiptField('items_length', 'integer', 'il', lengthOf('items'), common),
  receiptField('discounts', 'exists', 'di', at('discounts')),
  receiptField('discounts.name', 'partial', 'dn', each('discounts', 'name')),
  receiptField('discounts.quantity', 'integer', 'dq', each('discounts', 'quantity'), common),
  receiptField('discounts.amount', 'float', 'da', each('discounts', 'amount')),
  receiptField('discounts_length', 'integer', 'dl', lengthOf('discounts'), common),
  receiptField('discounts_quantity', 'integer', 'ds', discountsQuantity, common),
  receiptField('payments', 'exists', 'pa', at('payments'), common),
  receiptField('payments.change', 'float', 'pc', payment('change'), common),
  receiptField('payments.number', 'exact', 'pn', payment('number')),
  receiptField('payments.method', 'exact', 'pm', payment('method')),
  receiptField('payments.issue', 'exact', 'pi', payment('issue'), common),
  receiptField('payments.start', 'exact', 'ps', payment('start'), common),
  receiptField('payments.end', 'exact', 'pe', payment('end'), common),
  receiptField('payments.po_number', 'exact', 'po', payment('po_number')),
  receiptField('payments_length', 'integer', 'pl', lengthOf('payments'), common),
  receiptField('properties', 'exists', 'pr', at('properties'), common),
  receiptField('properties.email', 'prefix', 'em', at('properties', 'email')),
  receiptField('properties.email.exact', 'exact', 'em', at('properties', 'email')),
  receiptField('properties.operator', 'exact', 'op', at('properties', 'operator')),
  receiptField('properties.salesperson', 'partial', 'sp', at('properties', 'salesperson')),
  receiptField('dynamic', 'exists', 'dy', at('dynamic'), common),
  itemField('name', 'partial', 'in', names),
  itemField('quantity', 'integer', 'iq', at('quantity'), common),
  itemField('quantity.decimal', 'float', 'ix', at('quantity'), common),
  itemField('unit', 'exact', 'iu', at('unit'), common),
  itemField('total', 'float', 'it', at('total')),
  itemField('discounts', 'exists', 'ii', at('discounts')),
  itemField('discounts.name', 'partial', 'ie', each('discounts', 'name')),
  itemField('discounts.quantity', 'integer', 'if', each('discounts', 'quantity'), common),
  itemField('discounts.amount', 'float', 'ia', each('discounts', 'amount')),
  itemField('discounts_length', 'integer', 'ig', lengthOf('discounts'), common),
  itemField('discounts_quantity', 'integer', 'ih', discountsQuantity, common),
  itemField('return', 'exists', 'ir', at('return')),
  itemField('return.localtime', 'date', 'ij', at('return', 'localtime')),
  itemField('return.reason', 'partial', 'ik', at('return', 'reason')),
  itemField('properties', 'exists', 'ip', at('properties'), common),
  itemField('properties.details', 'partial', 'im', at('properties', 'details')),
  itemField('properties.product_code', 'exact', 'io', at('properties', 'product_code')),
  itemField('dynamic', 'exists', 'iy', at('dynamic'), common),
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

import { catalogueOf, reach, type Field, type FieldCatalogue, type FieldType } from './fields';

/** Defines a field that is searched by word prefixes, and by the whole value with `.exact`. */
function prefixAndExact(path: string, code: string, more: Partial<Field> = {}): Field[] {
  const both = { whole: true, ...more };
  return [field(path, 'prefix', code, path, both), field(`${path}.exact`, 'exact', code, path, both)];
}

function field(path: string, type: FieldType, code: string, source = path, more: Partial<Field> = {}): Field {
  const way = source.split('.');
  return { path, type, code, level: 'record', read: (record) => reach(record, way), ...more };
}

/** Most identifiers are e-mail addresses. */
const addresses = { commonSymbols: '.@' };

/** The fields by which consumer identifiers are searched. */
export const identifierFields: FieldCatalogue = catalogueOf([
  ...prefixAndExact('identifier', 'id', { ...addresses, column: { path: 'identifier', from: '' } }),
  field('properties.name.title', 'exact', 'nt'),
  ...prefixAndExact('properties.name.first', 'nf'),
  ...prefixAndExact('properties.name.middle', 'nm'),
  ...prefixAndExact('properties.name.last', 'nl'),
  ...prefixAndExact('properties.email', 'em', addresses),
  ...prefixAndExact('properties.postcode', 'pc'),
  ...prefixAndExact('properties.address', 'ad'),
  ...prefixAndExact('properties.city', 'ci'),
  ...prefixAndExact('properties.house_number', 'hn'),
  ...prefixAndExact('properties.phone', 'ph'),
  field('properties.gender', 'exact', 'ge'),
  field('properties.birthdate', 'date', 'bd'),
]);

import { brandedSettings, fullReceipt } from '../../testing/rendered-samples';
import { shortened } from './long-texts';
import { viewOf } from '../view/view';

function withNames(names: readonly string[]) {
  const [item] = fullReceipt().items;
  const { 'name:fr': _fr, 'name:ar': _ar, ...plain } = item as NonNullable<typeof item>;
  return viewOf(fullReceipt({ items: names.map((name) => ({ ...plain, name })) }), brandedSettings);
}

const long = 'x'.repeat(300);

it('cuts only the long texts of a receipt whose texts are too long in total', () => {
  const names = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? `Pen ${i}` : long));
  const view = withNames(names);
  const { items, ...others } = shortened(view);
  expect(items[0]).toEqual(view.items[0]);
  expect(items[1]).toEqual({ ...view.items[1], name: long });
  const longer = withNames([...names, ...names]);
  const cut = shortened(longer);
  expect(cut.items[0]).toEqual(longer.items[0]);
  expect(cut.items[1]?.name).toMatch(/^x{40,299}…$/);
  expect({ ...cut, items: [] }).toEqual({ ...longer, items: [] });
  expect(others).toEqual((({ items: _items, ...rest }) => rest)(view));
});

it('keeps 40 characters of each text of the longest receipt', () => {
  const { items } = shortened(withNames(Array.from({ length: 5_000 }, () => long)));
  expect(new Set(items.map(({ name }) => name))).toEqual(new Set([`${'x'.repeat(40)}…`]));
});

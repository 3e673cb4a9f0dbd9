import { permissionNames } from '@receipts/contracts';
import { languages } from '../pages/language';
import { explainedPermissions } from './permission-list';

it('explains every permission, each with a separate text', () => {
  expect(explainedPermissions).toEqual(permissionNames);
  const texts = explainedPermissions.map((permission) => languages.en.messages[permission]);
  expect(new Set(texts).size).toBe(texts.length);
});

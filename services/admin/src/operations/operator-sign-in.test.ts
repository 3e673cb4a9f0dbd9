import { jsonSetting, operatorSettings, parseSettings } from '@receipts/host';
import { operatorConflicts, operatorSignIn } from './operator-sign-in';

const declared = {
  OPERATOR_TOKENS: operatorSettings.OPERATOR_TOKENS,
  OPERATOR_SIGN_IN: jsonSetting(operatorSignIn, { description: 'As in the settings of the service.' }),
};

const token = 'a-token-of-one-operator';

const parsed = (names: readonly string[], emails: readonly string[]) =>
  parseSettings(
    declared,
    {
      OPERATOR_TOKENS: JSON.stringify(Object.fromEntries(names.map((name) => [name, token + name]))),
      OPERATOR_SIGN_IN: JSON.stringify({ identity_provider: 'office', emails }),
    },
    operatorConflicts,
  );

it('are rejected if a token has the name of an address, in any case', () => {
  expect(() => parsed(['ann', 'Bob@shop.example'], ['ann@shop.example', 'BOB@shop.example'])).toThrow(
    'OPERATOR_TOKENS must not have the name of an address in OPERATOR_SIGN_IN',
  );
});

it('may name different operators', () => {
  const { OPERATOR_SIGN_IN } = parsed(['ann', 'bob@shop.example'], ['Ann@shop.example']);
  expect(OPERATOR_SIGN_IN.emails).toEqual(['ann@shop.example']);
});

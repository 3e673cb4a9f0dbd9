import { ServiceError } from '@receipts/kernel';
import { checkIfMatch, entityTag } from './index';

describe('checkIfMatch', () => {
  it.each([undefined, '*', ' * ', '"3"', '"1", "3"', '"1","3"'])('accepts %j for version 3', (header) => {
    expect(() => checkIfMatch(header, 3)).not.toThrow();
  });

  it.each(['"2"', '3', 'W/"3"', '', '"33"'])('rejects %j for version 3', (header) => {
    let thrown: unknown;
    try {
      checkIfMatch(header, 3);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ServiceError);
    expect((thrown as ServiceError).status).toBe(412);
  });

  it('writes a strong tag', () => {
    expect(entityTag(3)).toBe('"3"');
  });
});

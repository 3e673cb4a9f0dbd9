import { importCards } from './import-cards';
import { verifyCard } from './verify-card';

export { cardWithCode, importedCardsMax, type CardWithCode } from './import-cards';
export {
  invalidCardNumber,
  invalidRegistrationCode,
  retailerHasNoCards,
  tooManyCardAttempts,
} from './verify-card';

/** The commands of identifier about cards. */
export const cardContracts = { verifyCard, importCards };

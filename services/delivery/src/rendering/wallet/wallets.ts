import type { PassSigner } from './apple-pass';
import type { PassIssuer } from './google-pass';

/** The wallet apps for which the operator has set a signing key. */
export interface Wallets {
  readonly apple?: PassSigner | undefined;
  readonly google?: PassIssuer | undefined;
}

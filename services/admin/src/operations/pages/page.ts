import type { adminContracts } from '@receipts/contracts';
import type {
  ServiceError,
  Call,
  ContractShape,
  Handler,
  Input,
  ReceivedReply,
  RequestInput,
} from '@receipts/kernel';
import type { Html } from '@receipts/html';
import { refusalIn } from '../../pages/refusal';
import { pageReply, redirectTo, type PageReply } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import type { Operations } from '../open-operations';
import { layout, type MenuPath } from './layout';
import { signedIn, type Operator, type SentHeaders } from './signed-in';

/** The response body of an operator endpoint. */
export type BodyOf<K extends keyof typeof adminContracts> = ReceivedReply<(typeof adminContracts)[K]>['body'];

/** Calls one of this service's own endpoints, like a call from another service. */
export async function bodyOf<C extends ContractShape>(
  endpoint: Handler<C>,
  input: RequestInput<C>,
  call: Call,
): Promise<ReceivedReply<C>['body']> {
  const { body } = await endpoint(input as Input<C>, call);
  return body as ReceivedReply<C>['body'];
}

interface PageFacts {
  readonly title: string;
  /** The entry of the menu that the page belongs to. */
  readonly menuPath: MenuPath;
  /** True if a script refreshes the `livePart` of the page. */
  readonly isLive?: boolean;
}

/** The content of a page, with a status other than 200. */
interface Refused {
  readonly main: Html;
  readonly status: number;
}

const home = '/operator/';

/** Redirects to the sign-in page, which redirects back to the current page. */
function toSignIn(path: MenuPath): PageReply {
  return redirectTo(
    `/operator/sign-in${path === home ? '' : `?${new URLSearchParams({ next: path }).toString()}`}`,
  );
}

type PageResult = Html | Refused | PageReply;

/** Returns a page to a signed-in operator; other users are redirected to the sign-in page. */
export const operatorPage =
  <I extends { readonly headers: SentHeaders }>(
    operations: Operations,
    { title, menuPath, isLive = false }: PageFacts,
    show: (who: Operator, input: I) => Promise<PageResult>,
  ) =>
  async (input: I, call: Call): Promise<PageReply> => {
    const who = await signedIn(operations, input.headers, call);
    if (!who) return toSignIn(menuPath);
    const shown = await show(who, input);
    if ('meta' in shown) return shown;
    const { main, status } = 'main' in shown ? shown : { main: shown, status: 200 };
    const page = layout({ title, main, who, menuPath, isLive, base: operations.base });
    return pageReply(page, status, { hasScript: isLive });
  };

interface FormInput {
  readonly headers: Parameters<typeof checkSameSite>[0] & SentHeaders;
  readonly body: { readonly csrf: string };
}

/** Like `operatorPage`, for a form, which must come from one of our pages and from the operator's session. */
export function operatorForm<I extends FormInput>(
  operations: Operations,
  facts: PageFacts,
  act: (who: Operator, input: I) => Promise<PageResult>,
) {
  const page = operatorPage<I>(operations, facts, async (who, input) => {
    checkForm(who.session, input.body.csrf);
    return act(who, input);
  });
  return async (input: I, call: Call): Promise<PageReply> => {
    checkSameSite(input.headers);
    return page(input, call);
  };
}

/**
 * Shows why an endpoint rejected a request.
 * @throws the error unless the request caused it
 */
export async function orRefused(
  show: () => Promise<PageResult>,
  refused: (error: ServiceError) => Html | Promise<Html>,
): Promise<PageResult> {
  try {
    return await show();
  } catch (error) {
    const refusal = refusalIn(error);
    return { main: await refused(refusal), status: refusal.status };
  }
}

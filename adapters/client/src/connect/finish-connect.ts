import { type ConnectResult, readConnectResult, withoutConnectResult } from './connect-result.ts';
import { type ConnectStateOptions, takeConnectState } from './connect-state.ts';

/** The part of `history` that cleans the address. */
export interface ConnectHistory {
  readonly state: unknown;
  replaceState(data: unknown, unused: string, url: string): void;
}

export interface FinishConnectOptions extends ConnectStateOptions {
  /** Address to which the browser has returned. @default the page's */
  readonly address?: string | URL | undefined;
  /** Where the address is cleaned; null leaves it as it is. @default the page's */
  readonly history?: ConnectHistory | null | undefined;
  /**
   * Whether the state must be one of `createConnectState`. Set it to false for a state of your server's, which your server
   * then compares.
   * @default true
   */
  readonly checksState?: boolean | undefined;
}

interface Page {
  readonly location?: { readonly href: string };
  readonly history?: ConnectHistory;
}

/**
 * Ends the authorization flow in the page of the redirect URL: reads the outcome, checks and uses up its `state`, and removes
 * the outcome from the address, so that a reload does not repeat it.
 * Returns undefined where the address has no outcome. An outcome with a state that this tab has not made is
 * `{ status: 'failed', code: 'state_mismatch' }`, without an account.
 *
 * @example
 * ```ts
 * const result = finishConnect({ address: 'https://app.example.com/connected', history: null });
 * ```
 */
export function finishConnect({
  address,
  history,
  checksState = true,
  ...state
}: FinishConnectOptions = {}): ConnectResult | undefined {
  const page = globalThis as Page;
  const returnedTo = address ?? page.location?.href;
  if (returnedTo === undefined) throw new TypeError('There is no location here: give "address".');
  const result = readConnectResult(returnedTo);
  if (result === undefined) return undefined;
  const cleaned = history === undefined ? page.history : history;
  cleaned?.replaceState(cleaned.state, '', withoutConnectResult(returnedTo));
  return checksState ? checked(result, state) : result;
}

function checked(result: ConnectResult, options: ConnectStateOptions): ConnectResult {
  const refused = (code: string): ConnectResult => ({
    status: 'failed',
    code,
    description: null,
    state: result.state,
  });
  try {
    return takeConnectState(result.state, options) ? result : refused('state_mismatch');
  } catch {
    return refused('storage_blocked');
  }
}

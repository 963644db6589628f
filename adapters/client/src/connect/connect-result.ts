/** A mailbox was connected. */
export interface ConnectedResult {
  readonly status: 'connected';
  /** Id of the account, to be read by the application's server. */
  readonly endUserAccountId: string;
  /** The state that came back, or null without one. */
  readonly state: string | null;
}

/** The flow ended without an account. */
export interface FailedResult {
  readonly status: 'failed';
  /** Code as the service or the provider gave it: `access_denied`, `login_hint_mismatch`; or `state_mismatch`. */
  readonly code: string;
  /** Text of the address, for logs: any person can write an address, so do not show it. */
  readonly description: string | null;
  /** The state that came back, or null without one. */
  readonly state: string | null;
}

export type ConnectResult = ConnectedResult | FailedResult;

const NAMES = ['endUserAccountId', 'error', 'error_description', 'state'] as const;
type Name = (typeof NAMES)[number];

/** One `name=value` of a query, as it is written. */
interface Parameter {
  readonly text: string;
  readonly name: string;
  readonly value: string;
}

/**
 * Reads the outcome of the authorization flow from the address to which the browser has returned.
 * Returns undefined for an address without one. The result is unproved until its `state` is compared with the one that
 * was sent: `finishConnect` does so.
 *
 * @example
 * ```ts
 * readConnectResult('https://app.example.com/connected?endUserAccountId=acc_1&state=c2V0');
 * ```
 */
export function readConnectResult(address: string | URL): ConnectResult | undefined {
  const own = ownParameters(parametersOf(new URL(address).search));
  const state = own.get('state')?.value ?? null;
  const endUserAccountId = own.get('endUserAccountId')?.value;
  if (endUserAccountId) return { status: 'connected', endUserAccountId, state };
  const code = own.get('error')?.value;
  if (!code) return undefined;
  return { status: 'failed', code, description: own.get('error_description')?.value ?? null, state };
}

/** Returns the address without the outcome of the flow; other parameters stay as they are written. */
export function withoutConnectResult(address: string | URL): string {
  const url = new URL(address);
  if (readConnectResult(url) === undefined) return url.href;
  const parameters = parametersOf(url.search);
  const own = new Set(ownParameters(parameters).values());
  url.search = parameters
    .filter((each) => !own.has(each))
    .map(({ text }) => text)
    .join('&');
  return url.href;
}

function parametersOf(search: string): readonly Parameter[] {
  return search
    .replace(/^\?/, '')
    .split('&')
    .map((text) => {
      const [[name, value] = ['', '']] = new URLSearchParams(text);
      return { text, name, value };
    });
}

/**
 * Returns the parameters that the service has added. It adds them at the end, and either an account or an error: the last of a
 * name counts, and a redirect URL may have an `error` or a `state` of its own before them.
 */
function ownParameters(parameters: readonly Parameter[]): ReadonlyMap<Name, Parameter> {
  const lastIndex = (name: Name) => parameters.findLastIndex((parameter) => parameter.name === name);
  const isConnected = lastIndex('endUserAccountId') > lastIndex('error');
  const begin = isConnected ? lastIndex('endUserAccountId') : lastIndex('error');
  if (begin < 0) return new Map();
  const own = new Map<Name, Parameter>();
  for (const name of NAMES) {
    const parameter = parameters[lastIndex(name)];
    if (parameter !== undefined && lastIndex(name) >= begin) own.set(name, parameter);
  }
  return own;
}

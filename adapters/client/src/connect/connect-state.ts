import { randomKey, systemNow } from '../runtime/index.ts';

/** The part of `sessionStorage` that states need. */
export interface ConnectStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** Where states are kept, and the time. */
export interface ConnectStateOptions {
  /** @default sessionStorage of the page */
  readonly storage?: ConnectStorage | undefined;
  /** Returns the time in epoch milliseconds. @default the machine's time */
  readonly now?: (() => number) | undefined;
}

const KEY = 'kalends-connect-states';
/** The service gives a person ten minutes at the provider; the rest is for slow pages. */
const LIFETIME_MS = 15 * 60_000;
/** The service allows one browser eight flows. */
const MOST_STATES = 8;

/** A state, and when it was made. */
type Kept = readonly [state: string, madeAt: number];

/**
 * Makes a random `state` for one authorization flow and remembers it in this tab, so that an address which other people
 * have written is told from the answer to this tab's own question. Valid once, for 15 minutes.
 * It protects the person in the browser. It proves nothing to a server: see `docs/connecting.md`.
 * @throws the browser's error (`SecurityError`, `QuotaExceededError`) where the page may not store data
 */
export function createConnectState({
  storage = sessionStorageOfPage(),
  now = systemNow,
}: ConnectStateOptions = {}): string {
  const state = randomKey();
  const kept = [...readStates(storage, now()), [state, now()] as const].slice(-MOST_STATES);
  storage.setItem(KEY, JSON.stringify(kept));
  return state;
}

/**
 * Returns whether this tab made the state and has not taken it back before, and forgets it: a second call returns false.
 * @throws the browser's error where the page may not store data
 */
export function takeConnectState(
  state: string | null,
  { storage = sessionStorageOfPage(), now = systemNow }: ConnectStateOptions = {},
): boolean {
  const kept = readStates(storage, now());
  const others = kept.filter(([each]) => each !== state);
  if (others.length === kept.length) return false;
  storage.setItem(KEY, JSON.stringify(others));
  return true;
}

/** Returns the states that are not too old. Text that other scripts have left there counts as none. */
function readStates(storage: ConnectStorage, now: number): readonly Kept[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKept).filter(([, madeAt]) => now - madeAt < LIFETIME_MS) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isKept(value: unknown): value is Kept {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';
}

function sessionStorageOfPage(): ConnectStorage {
  const { sessionStorage } = globalThis as { readonly sessionStorage?: ConnectStorage };
  if (sessionStorage === undefined) throw new TypeError('There is no sessionStorage here: give "storage".');
  return sessionStorage;
}

import { beforeEach, describe, expect, it } from 'vitest';
import { type ConnectStorage, createConnectState, takeConnectState } from '../../src/connect/connect-state.ts';
import { finishConnect } from '../../src/connect/finish-connect.ts';

const PAGE = 'https://app.example/connected';
const MINUTE_MS = 60_000;

/** A tab: its storage, and its clock. */
function openTab() {
  const kept = new Map<string, string>();
  const storage: ConnectStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  };
  const tab = { storage, kept, time: 0, now: () => tab.time };
  return tab;
}

let tab: ReturnType<typeof openTab>;
beforeEach(() => {
  tab = openTab();
});

describe('a state', () => {
  it('is random, and fits the bound of the service', () => {
    const states = new Set(Array.from({ length: 100 }, () => createConnectState(tab)));
    expect(states.size).toBe(100);
    for (const state of states) expect(state).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is taken once, by the tab that made it', () => {
    const state = createConnectState(tab);
    expect(takeConnectState(state, openTab())).toBe(false);
    expect(takeConnectState(state, tab)).toBe(true);
    expect(takeConnectState(state, tab)).toBe(false);
    expect(takeConnectState(null, tab)).toBe(false);
    expect(takeConnectState('', tab)).toBe(false);
  });

  it('lives beside the states of other flows, eight at most', () => {
    const states = Array.from({ length: 9 }, () => createConnectState(tab));
    expect(states.map((state) => takeConnectState(state, tab))).toEqual([false, ...Array(8).fill(true)]);
  });

  it('lives 15 minutes', () => {
    const [early, late] = [createConnectState(tab), createConnectState(tab)];
    tab.time = 15 * MINUTE_MS - 1;
    expect(takeConnectState(early, tab)).toBe(true);
    tab.time += 1;
    expect(takeConnectState(late, tab)).toBe(false);
  });

  it.each(['no JSON', '{}', 'null', '[1, ["x"], [2, 3]]'])('survives other text in the storage: %s', (text) => {
    createConnectState(tab);
    for (const key of tab.kept.keys()) tab.kept.set(key, text);
    expect(takeConnectState('x', tab)).toBe(false);
    const state = createConnectState(tab);
    expect(takeConnectState(state, tab)).toBe(true);
  });

  it('needs a storage', () => {
    expect(() => createConnectState()).toThrow(/sessionStorage/);
  });
});

describe('finishConnect', () => {
  function openHistory() {
    const calls: unknown[] = [];
    const replaceState = (...call: unknown[]) => void calls.push(call);
    return { state: { page: 3 }, replaceState, calls };
  }

  it('returns nothing for an address without an outcome, and leaves it alone', () => {
    const history = openHistory();
    expect(finishConnect({ ...tab, address: `${PAGE}?state=abc`, history })).toBeUndefined();
    expect(history.calls).toEqual([]);
  });

  it('returns the account of the own flow once, and cleans the address', () => {
    const history = openHistory();
    const state = createConnectState(tab);
    const address = `${PAGE}?tab=2&endUserAccountId=acc_1&state=${state}`;
    const connected = { status: 'connected', endUserAccountId: 'acc_1', state };
    expect(finishConnect({ ...tab, address, history })).toEqual(connected);
    expect(history.calls).toEqual([[{ page: 3 }, '', `${PAGE}?tab=2`]]);
    expect(finishConnect({ ...tab, address, history })).toEqual(mismatch(state));
  });

  it.each([
    ['an account', 'endUserAccountId=acc_attacker'],
    ['an error', 'error=access_denied&error_description=Call+0900'],
  ])('takes %s that was not asked for as a mismatch, and tells nothing of it', (_, query) => {
    createConnectState(tab);
    const history = openHistory();
    for (const state of [null, 'foreign']) {
      const address = `${PAGE}?${query}${state === null ? '' : `&state=${state}`}`;
      expect(finishConnect({ ...tab, address, history })).toEqual(mismatch(state));
    }
    expect(history.calls).toHaveLength(2);
  });

  it("leaves a server's state to the server", () => {
    const address = `${PAGE}?endUserAccountId=acc_1&state=of-the-server`;
    expect(finishConnect({ ...tab, address, history: null, checksState: false })).toEqual({
      status: 'connected',
      endUserAccountId: 'acc_1',
      state: 'of-the-server',
    });
  });

  it('says when the browser keeps no data', () => {
    const storage: ConnectStorage = {
      getItem() {
        throw new DOMException('denied', 'SecurityError');
      },
      setItem: () => undefined,
    };
    const address = `${PAGE}?endUserAccountId=acc_1&state=abc`;
    expect(finishConnect({ storage, address, history: null })).toMatchObject({
      status: 'failed',
      code: 'storage_blocked',
    });
  });

  it('needs an address', () => {
    expect(() => finishConnect({ ...tab, history: null })).toThrow(/"address"/);
  });

  const mismatch = (state: string | null) => ({ status: 'failed', code: 'state_mismatch', description: null, state });
});

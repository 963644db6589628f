import { seededRandom } from '@kalends/conformance';
import fc from 'fast-check';
import type { OutboundResult } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { DISABLE_AFTER_MS, decideOutcome, WAITS_MS } from '../../src/webhooks/retry-schedule.ts';

const HOUR = 3_600_000;
const middle = { bytes: seededRandom(1).bytes, fraction: () => 0.5 };

function result(overrides: Partial<OutboundResult>): OutboundResult {
  return { status: 500, failure: null, retryAfterMs: null, excerpt: '', latencyMs: 1, ...overrides };
}

function decide(overrides: Partial<OutboundResult>, attempts = 1, failingSince: number | null = null, now = 0) {
  return decideOutcome({ result: result(overrides), attempts, failingSince, now }, middle);
}

describe('the retry schedule', () => {
  it('waits 0, 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h: 75 h 35 min 5 s in all', () => {
    expect(WAITS_MS.reduce((sum, wait) => sum + wait, 0)).toBe(75 * HOUR + 35 * 60_000 + 5_000);
    for (let attempts = 1; attempts < 10; attempts += 1) {
      expect(decide({}, attempts)).toEqual({ kind: 'retry', at: WAITS_MS[attempts] });
    }
    expect(decide({}, 10)).toEqual({ kind: 'dead' });
    expect(decide({}, 11)).toEqual({ kind: 'dead' });
  });

  it('jitters by 20 % at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer(), (attempts, seed) => {
        const outcome = decideOutcome({ result: result({}), attempts, failingSince: null, now: 0 }, seededRandom(seed));
        const at = outcome.kind === 'retry' ? outcome.at : Number.NaN;
        expect(at).toBeGreaterThanOrEqual(0.8 * WAITS_MS[attempts]!);
        expect(at).toBeLessThanOrEqual(1.2 * WAITS_MS[attempts]!);
      }),
    );
  });

  it.each([200, 201, 204, 299])('takes %i for success', (status) => {
    expect(decide({ status })).toEqual({ kind: 'delivered' });
  });

  it.each([199, 301, 302, 307, 400, 401, 404, 500])('takes %i for failure', (status) => {
    expect(decide({ status })).toEqual({ kind: 'retry', at: 5_000 });
  });

  it.each([
    { status: 429 },
    { status: 502 },
    { status: 503 },
    { status: 504 },
    { status: null, failure: 'timeout' as const },
  ])('leaves an overloaded receiver alone for a minute: %j', (overrides) => {
    expect(decide(overrides)).toEqual({ kind: 'retry', at: 60_000 });
  });

  it('honours Retry-After up to six hours, and never hurries for it', () => {
    expect(decide({ status: 503, retryAfterMs: 90_000 })).toEqual({ kind: 'retry', at: 90_000 });
    expect(decide({ status: 500, retryAfterMs: 10 * HOUR })).toEqual({ kind: 'retry', at: 6 * HOUR });
    expect(decide({ status: 500, retryAfterMs: 1_000 }, 3)).toEqual({ kind: 'retry', at: WAITS_MS[3] });
  });

  it('disables at 410, and after 120 h without a success', () => {
    expect(decide({ status: 410 })).toEqual({ kind: 'disabled' });
    expect(decide({}, 1, 1_000, 999 + DISABLE_AFTER_MS)).toMatchObject({ kind: 'retry' });
    expect(decide({}, 1, 1_000, 1_000 + DISABLE_AFTER_MS)).toEqual({ kind: 'disabled' });
    expect(decide({ status: 200 }, 1, 1_000, 1_000 + DISABLE_AFTER_MS)).toEqual({ kind: 'delivered' });
  });
});

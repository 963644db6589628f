import type { OutboundResult } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { createDeliveryCapacity } from '../../src/webhooks/delivery-capacity.ts';

const answer = (patch: Partial<OutboundResult> = {}): OutboundResult => ({
  status: 204,
  failure: null,
  retryAfterMs: null,
  excerpt: '',
  latencyMs: 5,
  ...patch,
});
const TIMEOUT = answer({ status: null, failure: 'timeout', latencyMs: 15_000 });

/** Uses the host's whole capacity and ends each delivery with the same result. Returns the number of deliveries. */
function fill(capacity: ReturnType<typeof createDeliveryCapacity>, result: OutboundResult, host = 'a.test'): number {
  const count = capacity.ofHost('app_1', host);
  for (let index = 0; index < count; index += 1) capacity.begin('app_1', host);
  for (let index = 0; index < count; index += 1) capacity.end('app_1', host, result);
  return count;
}

describe('delivery capacity', () => {
  it('starts at ten per host and grows to 256 on fast answers', () => {
    const capacity = createDeliveryCapacity(1_024);
    const counts = Array.from({ length: 25 }, () => fill(capacity, answer()));
    expect(counts.slice(0, 3)).toEqual([10, 14, 19]);
    expect(counts.at(-1)).toBe(256);
  });

  it.each([
    ['slow answers', answer({ latencyMs: 1_001 })],
    ['server errors', answer({ status: 500 })],
    ['overload', answer({ status: 429 })],
    ['refused connections', answer({ status: null, failure: 'connection' })],
  ])('does not grow on %s', (_name, result) => {
    const capacity = createDeliveryCapacity(1_024);
    expect([fill(capacity, result), fill(capacity, result)]).toEqual([10, 10]);
  });

  it('does not grow while it is unused', () => {
    const capacity = createDeliveryCapacity(1_024);
    for (let index = 0; index < 1_000; index += 1) {
      capacity.begin('app_1', 'a.test');
      capacity.end('app_1', 'a.test', answer());
    }
    expect(capacity.ofHost('app_1', 'a.test')).toBe(10);
  });

  it('is halved by each timeout, down to one, for that host of that application alone', () => {
    const capacity = createDeliveryCapacity(1_024);
    const caps = Array.from({ length: 5 }, () => {
      capacity.begin('app_1', 'a.test');
      capacity.end('app_1', 'a.test', TIMEOUT);
      return capacity.ofHost('app_1', 'a.test');
    });
    expect(caps).toEqual([5, 2, 1, 1, 1]);
    expect([capacity.ofHost('app_2', 'a.test'), capacity.ofHost('app_1', 'b.test')]).toEqual([10, 10]);
    for (let index = 0; index < 100; index += 1) fill(capacity, answer());
    expect(capacity.ofHost('app_1', 'a.test')).toBe(256);
  });

  it('gives an application no more than it leaves to the others', () => {
    const capacity = createDeliveryCapacity(100);
    const take = (application: string) => {
      let taken = 0;
      for (; capacity.ofApplication(application) > 0; taken += 1) capacity.begin(application, `${taken}.test`);
      return taken;
    };
    const taken = ['app_1', 'app_2', 'app_3', 'app_4'].map(take);
    expect(taken).toEqual([50, 25, 13, 6]);
    expect(capacity.left).toBe(6);
  });

  it('evicts idle hosts when there are many', () => {
    const capacity = createDeliveryCapacity(1_024);
    fill(capacity, TIMEOUT, 'old.test');
    expect(capacity.ofHost('app_1', 'old.test')).toBe(1);
    for (let index = 0; index < 5_000; index += 1) fill(capacity, answer(), `${index}.test`);
    expect(capacity.ofHost('app_1', 'old.test')).toBe(10);
  });
});

import type { OutboundResult } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { createDeliveryRoom } from '../../src/webhooks/delivery-room.ts';

const answer = (patch: Partial<OutboundResult> = {}): OutboundResult => ({
  status: 204,
  failure: null,
  retryAfterMs: null,
  excerpt: '',
  latencyMs: 5,
  ...patch,
});
const TIMEOUT = answer({ status: null, failure: 'timeout', latencyMs: 15_000 });

/** Fills the host's room and ends all of it with the same result; resolves with how many that were. */
function fill(room: ReturnType<typeof createDeliveryRoom>, result: OutboundResult, host = 'a.test'): number {
  const count = room.ofHost('app_1', host);
  for (let index = 0; index < count; index += 1) room.begin('app_1', host);
  for (let index = 0; index < count; index += 1) room.end('app_1', host, result);
  return count;
}

describe('the room for deliveries', () => {
  it('begins with ten for a host and grows to 256 on fast answers', () => {
    const room = createDeliveryRoom(1_024);
    const counts = Array.from({ length: 25 }, () => fill(room, answer()));
    expect(counts.slice(0, 3)).toEqual([10, 14, 19]);
    expect(counts.at(-1)).toBe(256);
  });

  it.each([
    ['slow answers', answer({ latencyMs: 1_001 })],
    ['failures of the server', answer({ status: 500 })],
    ['overload', answer({ status: 429 })],
    ['refused connections', answer({ status: null, failure: 'connection' })],
  ])('does not grow on %s', (_name, result) => {
    const room = createDeliveryRoom(1_024);
    expect([fill(room, result), fill(room, result)]).toEqual([10, 10]);
  });

  it('does not grow while it is not made use of', () => {
    const room = createDeliveryRoom(1_024);
    for (let index = 0; index < 1_000; index += 1) {
      room.begin('app_1', 'a.test');
      room.end('app_1', 'a.test', answer());
    }
    expect(room.ofHost('app_1', 'a.test')).toBe(10);
  });

  it('is halved by each timeout, down to one, for that host of that application alone', () => {
    const room = createDeliveryRoom(1_024);
    const caps = Array.from({ length: 5 }, () => {
      room.begin('app_1', 'a.test');
      room.end('app_1', 'a.test', TIMEOUT);
      return room.ofHost('app_1', 'a.test');
    });
    expect(caps).toEqual([5, 2, 1, 1, 1]);
    expect([room.ofHost('app_2', 'a.test'), room.ofHost('app_1', 'b.test')]).toEqual([10, 10]);
    for (let index = 0; index < 100; index += 1) fill(room, answer());
    expect(room.ofHost('app_1', 'a.test')).toBe(256);
  });

  it('gives an application no more than it leaves to others', () => {
    const room = createDeliveryRoom(100);
    const take = (application: string) => {
      let taken = 0;
      for (; room.ofApplication(application) > 0; taken += 1) room.begin(application, `${taken}.test`);
      return taken;
    };
    const taken = ['app_1', 'app_2', 'app_3', 'app_4'].map(take);
    expect(taken).toEqual([50, 25, 13, 6]);
    expect(room.left).toBe(6);
  });

  it('forgets hosts that are idle when there are many', () => {
    const room = createDeliveryRoom(1_024);
    fill(room, TIMEOUT, 'old.test');
    expect(room.ofHost('app_1', 'old.test')).toBe(1);
    for (let index = 0; index < 5_000; index += 1) fill(room, answer(), `${index}.test`);
    expect(room.ofHost('app_1', 'old.test')).toBe(10);
  });
});

import type { Random } from 'kalends/ports';

/** Deterministic randomness for tests: one seed replays one history. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, and sufficient for ids and jitter.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
    fraction: next,
  };
}

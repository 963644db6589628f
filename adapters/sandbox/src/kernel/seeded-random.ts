/** A small deterministic source (mulberry32): the same seed and the same calls give the same history. */
export interface SeededRandom {
  /** Uniform in [0, 1). */
  fraction(): number;
  text(length: number, alphabet?: string): string;
  /** The whole state of the source, one unsigned 32-bit number. */
  state(): number;
  restore(state: number): void;
}

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    fraction,
    text(length, alphabet = LETTERS_AND_DIGITS) {
      let out = '';
      for (let i = 0; i < length; i += 1) out += alphabet[Math.floor(fraction() * alphabet.length)];
      return out;
    },
    state: () => state,
    restore(saved) {
      state = saved >>> 0;
    },
  };
}

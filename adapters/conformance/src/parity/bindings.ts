import assert from 'node:assert/strict';
import { PLACEHOLDER } from './placeholder.ts';
import { isObject, type Json } from './transcript.ts';

/** Meanings of placeholders, learnt from requests. */
export interface Bindings {
  /** Compares a recorded value with a real one and learns the placeholders. @throws AssertionError naming the place of a difference */
  learn(recorded: Json, real: Json, place: string): void;
  /** Replaces the placeholders that have a meaning. */
  apply(recorded: Json): Json;
}

export function createBindings(): Bindings {
  const meanings = new Map<string, string>();

  function learnText(recorded: string, real: string, place: string): void {
    const names = recorded.match(PLACEHOLDER) ?? [];
    const [name = ''] = names;
    if (names.length === 0) assert.equal(real, recorded, place);
    else if (recorded.startsWith('http')) meanings.set(recorded, real);
    else if (recorded === `${name}@redacted.invalid`) meanings.set(recorded, real);
    else
      learnParts(names, recorded.split(PLACEHOLDER), real, () => {
        assert.fail(`${place}: ${JSON.stringify(real)} was recorded as ${recorded}`);
      });
  }

  /** Learns the placeholders between the fixed parts of a text, each up to the first place of the next part. */
  function learnParts(names: readonly string[], fixed: readonly string[], real: string, fail: () => never): void {
    const [first = '', ...rest] = fixed;
    if (!real.startsWith(first)) fail();
    let at = first.length;
    for (const [index, part] of rest.entries()) {
      const isLast = index === rest.length - 1;
      const end = isLast ? real.length - part.length : real.indexOf(part, at);
      if (end < at || !real.startsWith(part, end)) fail();
      meanings.set(names[index] ?? '', real.slice(at, end));
      at = end + part.length;
    }
  }

  function learn(recorded: Json, real: Json, place: string): void {
    if (typeof recorded === 'string' && typeof real === 'string') learnText(recorded, real, place);
    else if (Array.isArray(recorded) && Array.isArray(real)) {
      assert.equal(real.length, recorded.length, `${place}: items`);
      for (const [index, item] of recorded.entries()) learn(item, real[index] ?? null, `${place}[${index}]`);
    } else if (isObject(recorded) && isObject(real)) {
      const keys = Object.keys(real);
      assert.equal(keys.length, Object.keys(recorded).length, `${place}: members`);
      // JSON keeps the order of members; keys that are data are learnt by their place.
      for (const [index, [key, member]] of Object.entries(recorded).entries()) {
        const realKey = keys[index] ?? '';
        learnText(key, realKey, `${place}: member ${index}`);
        learn(member, real[realKey] ?? null, `${place}.${realKey}`);
      }
    } else assert.equal(real, recorded, place);
  }

  function applyText(text: string): string {
    const whole = meanings.get(text);
    if (whole !== undefined) return whole;
    return text.replace(PLACEHOLDER, (name) => meanings.get(name) ?? name);
  }

  function apply(recorded: Json): Json {
    if (typeof recorded === 'string') return applyText(recorded);
    if (Array.isArray(recorded)) return recorded.map(apply);
    if (!isObject(recorded)) return recorded;
    return Object.fromEntries(Object.entries(recorded).map(([key, member]) => [applyText(key), apply(member)]));
  }

  return { learn, apply };
}

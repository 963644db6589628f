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
    const [name, ...more] = recorded.match(PLACEHOLDER) ?? [];
    if (name === undefined || more.length > 0 || recorded.includes(`${name}@`)) {
      if (name === undefined) assert.equal(real, recorded, place);
      else if (more.length === 0) meanings.set(`${name}@redacted.invalid`, real);
      return;
    }
    const [before = '', after = ''] = recorded.split(name);
    if (recorded.startsWith('http')) meanings.set(recorded, real);
    else if (real.startsWith(before) && real.endsWith(after)) {
      meanings.set(name, real.slice(before.length, real.length - after.length));
    } else assert.fail(`${place}: ${JSON.stringify(real)} was recorded as ${recorded}`);
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

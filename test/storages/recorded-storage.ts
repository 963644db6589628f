import type { Storage } from 'kalends/ports';

/** A storage that notes which of its methods are called. */
export interface RecordedStorage {
  readonly storage: Storage;
  /** Returns the calls since the last look, as `store.method`. */
  take(): readonly string[];
}

export function recordedStorage(storage: Storage): RecordedStorage {
  let calls: string[] = [];
  const record = <Part extends object>(part: Part, prefix: string): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        const path = `${prefix}${String(name)}`;
        if (typeof value === 'object' && value !== null) return record(value, `${path}.`);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]) => {
          calls.push(path);
          return value.apply(target, given);
        };
      },
    });
  return {
    storage: record(storage, ''),
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

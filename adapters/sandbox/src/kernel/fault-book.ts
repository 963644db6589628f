import { ControlError, type Fault } from './kernel.ts';

/** An armed fault with its handle and counters. */
export interface ArmedFault extends Fault {
  readonly id: string;
  /** How many requests it has hit so far. */
  readonly hits: number;
}

/** The armed faults, in the order in which they were armed. */
export interface FaultBook {
  /** @throws ControlError when the path pattern, kind or status cannot be used */
  arm(fault: Fault): ArmedFault;
  list(): readonly ArmedFault[];
  /** Disarms one fault, or all of them. Unknown ids are ignored. */
  clear(id?: string): void;
  /** The fault that hits this request, counted; undefined when none does. */
  claim(request: { readonly provider: string; readonly method: string; readonly path: string }): Fault | undefined;
}

interface Entry {
  readonly id: string;
  readonly fault: Fault;
  readonly pattern: RegExp | undefined;
  toSkip: number;
  hits: number;
}

const KINDS = new Set(['answer', 'answer-after', 'delay', 'reset']);

export function createFaultBook(): FaultBook {
  let entries: Entry[] = [];
  let armed = 0;
  const view = (entry: Entry): ArmedFault => ({ ...entry.fault, id: entry.id, hits: entry.hits });
  return {
    arm(fault) {
      const entry = { id: `fault_${++armed}`, fault, pattern: compile(fault), toSkip: fault.skip ?? 0, hits: 0 };
      entries.push(entry);
      return view(entry);
    },
    list: () => entries.map(view),
    clear(id) {
      entries = id === undefined ? [] : entries.filter((entry) => entry.id !== id);
    },
    claim(request) {
      for (const entry of entries) {
        if (!matches(entry, request)) continue;
        if (entry.toSkip > 0) {
          entry.toSkip -= 1;
          continue;
        }
        entry.hits += 1;
        if (entry.fault.times !== undefined && entry.hits >= entry.fault.times) {
          entries = entries.filter((other) => other !== entry);
        }
        return entry.fault;
      }
      return undefined;
    },
  };
}

function matches(entry: Entry, request: { provider: string; method: string; path: string }): boolean {
  const { fault, pattern } = entry;
  if (fault.provider !== request.provider) return false;
  if (fault.method !== undefined && fault.method !== request.method) return false;
  return pattern === undefined || pattern.test(request.path);
}

function compile(fault: Fault): RegExp | undefined {
  if (!KINDS.has(fault.kind)) throw new ControlError('kind: must be answer, answer-after, delay or reset');
  const answers = fault.kind === 'answer' || fault.kind === 'answer-after';
  if (answers && (fault.status === undefined || fault.status < 200 || fault.status > 599)) {
    throw new ControlError(`status: a fault of kind ${fault.kind} needs a status from 200 to 599`);
  }
  if (fault.kind === 'delay' && !(fault.delayMs !== undefined && fault.delayMs >= 0)) {
    throw new ControlError('delayMs: a fault of kind delay needs delayMs of zero or more');
  }
  if (fault.times !== undefined && fault.times < 1) throw new ControlError('times: must be at least 1');
  if (fault.path === undefined) return undefined;
  try {
    return new RegExp(`^(?:${fault.path})$`);
  } catch (cause) {
    throw new ControlError(`path: not a regular expression: ${fault.path}`, { cause });
  }
}

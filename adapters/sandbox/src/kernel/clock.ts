import { ControlError, type SandboxClock } from './kernel.ts';

/** Where the clock stands, as saved with the state. */
export interface ClockSetting {
  readonly offsetMs: number;
  readonly frozenAt: number | null;
}

/** A clock that can be saved and brought back. */
export interface RestorableClock extends SandboxClock {
  setting(): ClockSetting;
  restore(setting: ClockSetting): void;
}

/** A clock that a host turns for itself and the sandbox together. */
export interface HostClock {
  now(): number;
  /** Begins to move the clock forward. @throws an error whose message names the field and the rule */
  advance(ms: number): void;
}

/** The host's clock as it is: the sandbox saves no setting of it and cannot freeze it. */
export function createHostedClock(host: HostClock): RestorableClock {
  return {
    now: () => host.now(),
    advance(ms) {
      try {
        host.advance(ms);
      } catch (error) {
        throw new ControlError(error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
    freeze() {
      throw new ControlError('at: this clock belongs to the program around the sandbox, and cannot be frozen');
    },
    setting: () => ({ offsetMs: 0, frozenAt: null }),
    restore: () => undefined,
  };
}

/** The base clock plus an offset, or a fixed instant while frozen. Thawing continues from the frozen instant. */
export function createSandboxClock(base: { now(): number }, changed: () => void): RestorableClock {
  let offsetMs = 0;
  let frozenAt: number | null = null;
  return {
    now: () => frozenAt ?? base.now() + offsetMs,
    advance(ms) {
      if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`ms: a clock step must be zero or more, not ${ms}`);
      if (frozenAt === null) offsetMs += ms;
      else frozenAt += ms;
      changed();
    },
    freeze(at) {
      if (at !== undefined && !Number.isFinite(at)) throw new RangeError(`at: not an instant: ${at}`);
      if (at === undefined && frozenAt !== null) offsetMs = frozenAt - base.now();
      frozenAt = at ?? null;
      changed();
    },
    setting: () => ({ offsetMs, frozenAt }),
    restore(setting) {
      offsetMs = setting.offsetMs;
      frozenAt = setting.frozenAt;
    },
  };
}

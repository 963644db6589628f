import { KalendsError } from 'kalends/ports';
import { checkNames, hasFunctions } from 'kalends/runtime';
import { createCalDavSandbox } from './caldav/caldav-sandbox.ts';
import { issueAccessToken } from './control/access-token.ts';
import { createControlApi } from './control/control-api.ts';
import { createRequestLog } from './control/request-log.ts';
import { createGoogleSandbox } from './google/google-sandbox.ts';
import { indexPage } from './index-page.ts';
import type { HostClock } from './kernel/clock.ts';
import { createKernel, type KernelSnapshot } from './kernel/create-kernel.ts';
import type { SandboxState } from './kernel/state.ts';
import { type Listening, listenOn } from './listen.ts';
import { createMicrosoftSandbox } from './microsoft/microsoft-sandbox.ts';
import { answerAsProvider } from './provider-front.ts';
import { afterRunningCode, type RealTime, systemTime } from './runtime/real-time.ts';
import type { Sandbox } from './sandbox-interface.ts';

export interface SandboxOptions {
  /**
   * The time that the sandbox's clock moves and freezes. One with `advance` is the sandbox's clock itself: a host turns it for its
   * own code and the sandbox together, and it cannot be frozen.
   * @default the system clock
   */
  readonly clock?: { now(): number } | HostClock;
  /** Seed of every id, token and coin toss. @default 1 */
  readonly seed?: number;
  /** Storage of the state; without it the state ends with the process. */
  readonly state?: SandboxState;
  /** Posts the push notifications. @default the global fetch */
  readonly fetch?: typeof fetch;
  /** Real time, for injected delays and the retries of notifications. @default the system's */
  readonly time?: RealTime;
}

const NAMES = ['clock', 'seed', 'state', 'fetch', 'time'] satisfies (keyof SandboxOptions)[];

function checkOptions(options: SandboxOptions): void {
  if (typeof options !== 'object' || options === null) throw wrongOption('options', 'must be an object of options');
  checkNames(options, NAMES);
  const { clock, seed, state, fetch: given, time } = options;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw wrongOption('seed', 'must be a whole number');
  if (given !== undefined && typeof given !== 'function') throw wrongOption('fetch', 'must be a function');
  const objects = { clock: [clock, ['now']], state: [state, ['load', 'save']], time: [time, ['now', 'wait']] } as const;
  for (const [name, [value, functions]] of Object.entries(objects)) {
    if (value === undefined || hasFunctions(value, functions)) continue;
    throw wrongOption(name, `must be an object with the functions ${functions.join(', ')}`);
  }
}

function wrongOption(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}

interface SavedState {
  readonly kernel: KernelSnapshot;
  readonly google: unknown;
  readonly microsoft: unknown;
  /** Absent in a state that is older than the server. */
  readonly caldav?: unknown;
}

/**
 * Creates a sandbox, with the saved state when there is one.
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * sandbox.google.addMailbox({ email: 'ada@gmail.example', name: 'Ada', timeZone: 'Europe/London' });
 * const { url } = await sandbox.listen(); // Calendar API at `${url}/google/calendar/v3`
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  checkOptions(options);
  const { seed = 1, state, time = systemTime } = options;
  const kernel = createKernel({
    time,
    seed,
    fetch: options.fetch ?? globalThis.fetch,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    onTouched: () => afterRunningCode(save),
  });
  const google = createGoogleSandbox(kernel);
  const microsoft = createMicrosoftSandbox(kernel, { fetch: options.fetch ?? globalThis.fetch });
  const caldav = createCalDavSandbox(kernel);
  const servers = { google, microsoft, caldav };
  const requests = createRequestLog();
  const listeners = new Set<Listening>();
  const blank = structuredClone({
    kernel: kernel.snapshot(),
    google: google.snapshot(),
    microsoft: microsoft.snapshot(),
    caldav: caldav.snapshot(),
  });

  const restore = (saved: SavedState): void => {
    kernel.restore(saved.kernel);
    google.restore(structuredClone(saved.google));
    microsoft.restore(structuredClone(saved.microsoft));
    caldav.restore(structuredClone(saved.caldav ?? blank.caldav));
  };

  function save(): void {
    if (!kernel.takeTouched() || state === undefined) return;
    const saved: SavedState = {
      kernel: kernel.snapshot(),
      google: google.snapshot(),
      microsoft: microsoft.snapshot(),
      caldav: caldav.snapshot(),
    };
    state.save(JSON.stringify(saved));
  }

  const text = state?.load();
  if (text !== undefined) restore(JSON.parse(text) as SavedState);

  const sandbox: Sandbox = {
    async fetch(request) {
      const response = await route(request);
      save();
      return response;
    },
    async listen(at) {
      const listening = await listenOn((request) => sandbox.fetch(request), at);
      listeners.add(listening);
      return {
        url: listening.url,
        async close() {
          if (listeners.delete(listening)) await listening.close();
        },
      };
    },
    google,
    microsoft,
    caldav,
    clock: kernel.clock,
    faults: kernel.faults,
    notifications: kernel.notifications,
    requests,
    async accessToken({ provider, email }) {
      return (await issueAccessToken(servers[provider], { email }, kernel.clock.now())).accessToken;
    },
    reset() {
      restore(structuredClone(blank));
      kernel.faults.clear();
      kernel.notifications.setFaults({});
      requests.clear();
      kernel.touched();
    },
    save,
    async close() {
      kernel.notifications.close();
      await Promise.all([...listeners].map((listening) => listening.close()));
      listeners.clear();
      save();
    },
  };

  const control = createControlApi(sandbox);
  const route = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const [, first] = pathname.split('/');
    switch (first) {
      case 'google':
      case 'calendar':
        return answerAsProvider(kernel, requests, { name: 'google', server: google }, request);
      case 'microsoft':
      case 'v1.0':
        return answerAsProvider(kernel, requests, { name: 'microsoft', server: microsoft }, request);
      case 'caldav':
        return answerAsProvider(kernel, requests, { name: 'caldav', server: caldav }, request);
      case '.well-known':
        return Response.redirect(new URL('/caldav/', request.url).href, 301);
      case '_sandbox':
        return control.fetch(request);
      case '':
        return indexPage(sandbox, new URL(request.url).origin);
      default:
        return Response.json({ error: { message: `nothing here: ${pathname}` } }, { status: 404 });
    }
  };
  return sandbox;
}

import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { types } from 'node:util';
import type { Sandbox } from '@kalends/sandbox';
import type { Engine } from 'kalends';
import ts from 'typescript';
import { vi } from 'vitest';
import type { BlockModule } from './compile-blocks.ts';
import { createValues } from './placeholders.ts';
import { ROOT } from './read-blocks.ts';

type Exports = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: functions of every package
type AnyFunction = (...parameters: any[]) => any;
type End = () => Promise<unknown>;

/** Work that a block has begun: its ends, the tests that it declares, and the origins of its own servers. */
interface Begun {
  readonly ends: End[];
  readonly tests: AnyFunction[];
  readonly listening: string[];
}

const { fetch } = globalThis;
const ENVIRONMENT = {
  KALENDS_SECRET: Buffer.alloc(32, 7).toString('base64'),
  KALENDS_API_KEY: 'kal_test',
  DATABASE_URL: undefined,
};
/** Loads as plain Node does: vitest would read builds for bundlers, which have other exports. */
const require = createRequire(import.meta.url);
const AsyncFunction = (async () => undefined).constructor as new (...texts: string[]) => AnyFunction;

/**
 * Runs a module with the real packages, offline: `fetch` reaches the service of a new world and the block's own sandbox, and
 * files are below `folder`. The world is made for a block that uses one of its values, by these `names`. The tests that the block declares are run
 * here, one after another. What it has started is stopped afterwards; servers listen on a free port in place of the one
 * that the block names.
 */
export async function runBlock({ block, text }: BlockModule, names: readonly string[], folder: string): Promise<void> {
  const ends: End[] = [];
  const tests: AnyFunction[] = [];
  const listening: string[] = [];
  const { values, fetch: fetchFromWorld } = names.some((name) => text.includes(name))
    ? await openWorld(ends)
    : { values: {}, fetch: refuse };
  const isOfBlock = (url: string) => listening.some((origin) => url.startsWith(`${origin}/`));
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023, esModuleInterop: true },
  });
  const imported = [...outputText.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name);
  const modules = new Map<string, Exports>();
  for (const name of imported) modules.set(name, bounded(await load(name), folder, { ends, tests, listening }));
  for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value);
  if ('endpointSecret' in values) vi.stubEnv('ENDPOINT_SECRET', values.endpointSecret);
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) =>
    (isOfBlock(input instanceof Request ? input.url : String(input)) ? fetch : fetchFromWorld)(input, init),
  );
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    // In a block of its own: its constants hide the values of the same name.
    const run = new AsyncFunction('require', 'exports', ...Object.keys(values), `{${outputText}\n}`);
    await run((name: string) => modules.get(name), {}, ...Object.values(values));
    for (const test of tests) await test();
  } catch (error) {
    throw new Error(`${block.place} fails`, { cause: error });
  } finally {
    log.mockRestore();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    for (const end of ends.toReversed()) await end();
  }
}

async function openWorld(ends: End[]) {
  const { close, ...world } = await createValues();
  ends.push(close);
  return world;
}

const refuse = async (): Promise<never> => {
  throw new TypeError('the block has no network');
};

async function load(name: string): Promise<Exports> {
  const isOwn = /^(?:\.|kalends|@kalends\/)/.test(name);
  const path = name.startsWith('.') ? join(ROOT, 'test/docs', name) : name;
  const exports = isOwn ? await import(path) : require(path);
  // The default export of a CommonJS module is the module itself.
  const isModule = isOwn || types.isModuleNamespaceObject(exports);
  return { ...exports, ...(isModule ? {} : { default: exports }), __esModule: true };
}

/** Returns a module whose functions keep within the run of one block; an `@example` has them from the source itself. */
function bounded(exports: Exports, folder: string, { ends, tests, listening }: Begun): Exports {
  const limits: Readonly<Record<string, (original: AnyFunction) => AnyFunction>> = {
    sqlite: (sqlite) => (options) => sqlite({ ...options, path: join(folder, basename(options.path)) }),
    createEngine: (createEngine) => (options) => {
      const engine: Engine = createEngine(options);
      ends.push(() => engine.stop());
      return engine;
    },
    createSandbox: (createSandbox) => (options) => {
      const sandbox: Sandbox = createSandbox(options);
      ends.push(() => sandbox.close());
      const listen = async () => {
        const heard = await sandbox.listen();
        listening.push(heard.url);
        return heard;
      };
      return { ...sandbox, listen };
    },
    // Those of `node:test` would begin beside this run, and outlive what the block has started.
    test: () => (_name, run) => tests.push(run),
    after: () => (end) => ends.push(end),
    createServer: (createServer) => (listener) => {
      const server: Server = createServer(listener);
      ends.push(() => new Promise((resolve) => server.close(resolve)));
      return { listen: () => server.listen(0) };
    },
  };
  const limited = Object.entries(limits).filter(([name]) => name in exports);
  return {
    ...exports,
    ...Object.fromEntries(limited.map(([name, limit]) => [name, limit(exports[name] as AnyFunction)])),
  };
}

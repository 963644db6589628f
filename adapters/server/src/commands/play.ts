import { CommandError } from '../command-error.ts';
import { type Environment, fromEnvironment } from '../environment.ts';
import { commandActor } from './command-actor.ts';
import { ENGINE_FLAGS } from './engine-flags.ts';
import { eventData } from './event-data.ts';
import type { AdminRequest } from './operation.ts';
import type { Input } from './secret-input.ts';

/** An answer of the administration: its status and its parsed body. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Where requests of commands are played: a server, or the engine in this process. */
export interface Stage {
  /** @throws CommandError when nothing answers, or something else than the administration */
  play(request: AdminRequest): Promise<Answer>;
  close(): Promise<void>;
}

/** A server as a stage. */
export interface RemoteStage extends Stage {
  /** Begins a stream: its events as JSON, or the problem of a request that is refused. @throws CommandError, as `play` */
  open(request: AdminRequest, signal: AbortSignal): Promise<Answer | { readonly events: AsyncIterable<string> }>;
}

/** A deletion revokes grants at the provider, which may be slow. */
const TIMEOUT_MS = 120_000;
const TOKEN = 'KALENDS_ADMIN_TOKEN';

/**
 * Returns the stage of a server, with the admin token of the environment or, with `--token-stdin`, of standard input; during a
 * rotation, with either of two.
 * @throws CommandError for a URL or a token that cannot be used
 */
export async function openRemoteStage(
  url: string,
  values: Readonly<Record<string, unknown>>,
  env: Environment,
  input: Input,
): Promise<RemoteStage> {
  const root = rootOf(url);
  const token =
    values['token-stdin'] === true ? await input.readSecret('the admin token', TOKEN) : fromEnvironment(TOKEN, env);
  if (token !== undefined) return remoteStage(root, tokensOf(token));
  throw new CommandError(`${TOKEN} is required with --url: the admin token of that server; or give --token-stdin`);
}

/** Returns the tokens of `old,new`, the newest first: a server may not have been restarted with it yet. */
function tokensOf(text: string): readonly string[] {
  const tokens = text.split(',').map((token) => token.trim());
  return tokens.reverse();
}

/** Returns the stage of a server, by the URL of its mount. @throws CommandError for a token that cannot be used */
function remoteStage(root: string, tokens: readonly string[]): RemoteStage {
  if (!tokens.every((token) => /^[\x21-\x7e]+$/.test(token)))
    throw new CommandError('KALENDS_ADMIN_TOKEN must be printable ASCII without spaces');
  const sendWith = (token: string, { method, path, body }: AdminRequest, signal: AbortSignal): Promise<Response> =>
    fetch(`${root}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The token is for this address alone.
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      throw new CommandError(`${root} does not answer: ${reasonOf(error)}`, 1, 'Unreachable');
    });
  const send = async (request: AdminRequest, signal: AbortSignal): Promise<Response> => {
    const [newest = '', ...older] = tokens;
    let response = await sendWith(newest, request, signal);
    for (const token of older) {
      if (response.status !== 401) break;
      await response.body?.cancel();
      response = await sendWith(token, request, signal);
    }
    return response;
  };
  const read = async (response: Response, signal: AbortSignal): Promise<Answer> => {
    const answer = await answerOf(response, root);
    if (answer.status !== 404) return answer;
    // The object may be missing, or the whole administration: its description tells.
    const document = await send({ method: 'GET', path: '/admin/v1/openapi.json', body: undefined }, signal);
    await document.body?.cancel();
    if (document.status !== 404) return answer;
    const advice = `set ${TOKEN} on that server, if this is the interface's URL`;
    throw new CommandError(`${root} has no administration: ${advice}`, 1, 'Unreachable');
  };
  return {
    async play(request) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return await read(await send(request, signal), signal);
    },
    async open(request, signal) {
      const response = await send(request, signal);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (!isStream || response.body === null) return await read(response, signal);
      return { events: eventData(response.body) };
    },
    async close() {},
  };
}

/** Returns the URL of a mount without a slash at its end. @throws CommandError */
function rootOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandError(
      `--url must be the URL of the interface, such as https://calendar.example.com/api, not "${url}"`,
    );
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new CommandError('--url must have no user-info, query and fragment');
  }
  return parsed.href.endsWith('/') ? parsed.href.slice(0, -1) : parsed.href;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  if ((error as Error).name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`;
  if (!(cause instanceof Error)) return message;
  // A host with several addresses fails with all their errors, and no message of its own.
  const [first] = cause instanceof AggregateError ? (cause.errors as readonly Error[]) : [];
  return first?.message ?? cause.message;
}

/** Reads an answer. @throws CommandError for one that the administration did not send */
async function answerOf(response: Response, root: string): Promise<Answer> {
  const { status } = response;
  const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
  const body: unknown = isJson ? await response.json().catch(() => undefined) : undefined;
  if (typeof body === 'object' && body !== null) return { status, body: body as Answer['body'] };
  const location = response.headers.get('location');
  const advice =
    location === null
      ? "Is this the interface's URL, with its path (mostly /api)?"
      : `It leads to ${location}: give that address.`;
  throw new CommandError(
    `${root} is not the administration of kalends: it answered ${status}. ${advice}`,
    1,
    'Unreachable',
  );
}

/** Returns the stage of the engine in this process, on the configured database. @throws CommandError for a wrong setting */
export async function localStage(values: Readonly<Record<string, unknown>>, env: Environment): Promise<Stage> {
  if (values['database'] === undefined && fromEnvironment('KALENDS_DATABASE_URL', env) === undefined) {
    throw new CommandError(
      'no place is given: set KALENDS_DATABASE_URL and KALENDS_SECRET to work on a database, or give --url to ask a server',
    );
  }
  const [{ createLocalAdminHandler }, { readSettingValues }, { openEngine }] = await Promise.all([
    import('@kalends/http'),
    import('../settings.ts'),
    import('../admin/open-engine.ts'),
  ]);
  const { engine, logger } = await openEngine(readSettingValues(settingFlags(values), env));
  const handler = createLocalAdminHandler(engine, commandActor(), { logger });
  return {
    async play({ method, path, body }) {
      const request = new Request(`http://localhost${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return await answerOf(await handler(request), 'This process');
    },
    close: () => engine.stop(),
  };
}

/** Leaves out the flags of the operation, which may be named as a setting is. */
function settingFlags(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(ENGINE_FLAGS.map(({ name }) => [name, values[name]]));
}

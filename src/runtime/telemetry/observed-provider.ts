import { type Clock, type Provider, ProviderError, type Telemetry } from '../../ports/index.ts';
import { inSpan, type SpanOptions } from './tracing.ts';

type Part = 'authorization' | 'calendars' | 'events' | 'push' | 'freeBusy';

/** `call`: one call of the provider. `pages`: one call per page. `none`: no call. */
type Observation = 'call' | 'pages' | 'none';

/** Members of any variant of a part. */
type MembersOf<Each> = Each extends unknown ? keyof Each : never;

/** Observation of every member; a new one does not compile until it is listed here. */
const OBSERVATIONS: { readonly [Name in Part]: Readonly<Record<MembersOf<NonNullable<Provider[Name]>>, Observation>> } =
  {
    authorization: {
      kind: 'none',
      kinds: 'none',
      serverUrl: 'none',
      verify: 'call',
      authorizationUrl: 'none',
      coversCalendars: 'none',
      missingScopes: 'none',
      exchangeCode: 'call',
      refresh: 'call',
      identify: 'call',
      revoke: 'call',
      readTime: 'call',
    },
    calendars: { pull: 'pages', exists: 'call', create: 'call', update: 'call', delete: 'call' },
    events: {
      carriesAnswers: 'none',
      callsPerPull: 'none',
      pull: 'pages',
      listTags: 'pages',
      get: 'call',
      listAttachments: 'call',
      getDescription: 'call',
      check: 'none',
      findCreated: 'call',
      create: 'call',
      update: 'call',
      delete: 'call',
      respond: 'call',
    },
    // A notification is the provider's call, not ours.
    push: { open: 'call', renew: 'call', close: 'call', receive: 'none' },
    freeBusy: { query: 'call' },
  };

interface Observer {
  readonly providerType: string;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** Whether a call failed before it reached the provider: it is not counted. @default none did */
  readonly isUnasked?: (error: unknown) => boolean;
}

/** Returns the same provider with its calls counted, timed and traced; each page of a pull is a call. */
export function observeProvider<Observed extends Provider>(provider: Observed, observer: Observer): Observed {
  const { authorization, calendars, events, push, freeBusy } = provider;
  const parts: Pick<Provider, Part> = {
    authorization: observePart('authorization', authorization, observer),
    calendars: observePart('calendars', calendars, observer),
    events: observePart('events', events, observer),
    push: observePart('push', push, observer),
    ...(freeBusy === undefined ? {} : { freeBusy: observePart('freeBusy', freeBusy, observer) }),
  };
  return new Proxy(provider, {
    get: (target, property) => Reflect.get(property in parts ? parts : target, property),
  });
}

/** Wraps a part. Members are looked up at each call, so that the part may be any object. */
function observePart<Of extends object>(name: Part, part: Of, observer: Observer): Of {
  const observations: Readonly<Record<string, Observation>> = OBSERVATIONS[name];
  return new Proxy(part, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      const isListed = typeof property === 'string' && Object.hasOwn(observations, property);
      const observation = isListed ? observations[property] : undefined;
      if (typeof value !== 'function' || observation === undefined || observation === 'none') return value;
      const operation = `${name}.${String(property)}`;
      return (...parameters: readonly unknown[]) =>
        observation === 'pages'
          ? observePages(observer, operation, value.apply(target, parameters))
          : observe(observer, operation, () => value.apply(target, parameters));
    },
  });
}

async function* observePages<Page>(
  observer: Observer,
  operation: string,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      // The end of a list is no answer of the provider.
      const next = await observe(
        observer,
        operation,
        () => iterator.next(),
        ({ done }) => done !== true,
      );
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    if (!isOver) await iterator.return?.();
  }
}

async function observe<Result>(
  { providerType: provider, telemetry, clock, isUnasked = () => false }: Observer,
  operation: string,
  work: () => Promise<Result>,
  isCall: (result: Result) => boolean = () => true,
): Promise<Result> {
  const startedAt = clock.now();
  const count = (outcome: string) => {
    telemetry.count('kalends_provider_calls_total', { provider, operation, outcome });
    const seconds = (clock.now() - startedAt) / 1_000;
    telemetry.observe('kalends_provider_call_duration_seconds', { provider, operation }, seconds);
  };
  const span: SpanOptions = { kind: 'client', attributes: { 'kalends.provider': provider } };
  try {
    const result = await inSpan(`provider.${operation}`, span, work);
    if (isCall(result)) count('ok');
    return result;
  } catch (error) {
    if (!isUnasked(error)) count(ProviderError.isInstance(error) ? error.reason : 'error');
    throw error;
  }
}

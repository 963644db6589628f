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
  const observed: Provider = {
    name: provider.name,
    get mappingVersion() {
      return provider.mappingVersion;
    },
    capabilities: (calendar) => provider.capabilities(calendar),
    ...(parts as Pick<Provider, Part>),
  };
  // Of the same sign-in, whose part has the same type.
  return observed as Observed;
}

/**
 * Wraps a part as an object of its own: the part may be frozen, or of a class whose methods need `this`. Its members are looked up
 * at each use, since the part may change.
 */
function observePart<Of extends object>(name: Part, part: Of, observer: Observer): Of {
  const members = Object.entries(OBSERVATIONS[name]).filter(([member]) => member in part);
  const properties = members.map(([member, observation]): [string, PropertyDescriptor] => {
    const operation = `${name}.${member}`;
    const get = () => {
      const value: unknown = part[member as keyof Of];
      if (typeof value !== 'function') return value;
      const call = (...parameters: readonly unknown[]) => value.apply(part, parameters);
      if (observation === 'none') return call;
      return (...parameters: readonly unknown[]) =>
        observation === 'pages'
          ? observePages(observer, operation, call(...parameters))
          : observe(observer, operation, () => call(...parameters));
    };
    return [member, { get, enumerable: true, configurable: true }];
  });
  return Object.defineProperties({}, Object.fromEntries(properties)) as Of;
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

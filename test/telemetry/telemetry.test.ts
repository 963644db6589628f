import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { COUNTERS, HISTOGRAMS, type OutboundResult, type Telemetry } from 'kalends/ports';
import { observeSender } from 'kalends/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld } from '../interface/world.ts';

const exporter = new InMemorySpanExporter();
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

beforeEach(() => {
  context.setGlobalContextManager(localContexts());
  propagation.setGlobalPropagator({
    inject: () => undefined,
    extract: (parent, carrier, getter) => {
      const [, traceId = '', spanId = ''] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
      return traceId === '' ? parent : trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
    fields: () => ['traceparent'],
  });
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
afterEach(() => {
  exporter.reset();
  trace.disable();
  context.disable();
  propagation.disable();
});

/** The context manager that an SDK for Node brings along. */
function localContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...parameters) => storage.run(active, () => work.apply(self, parameters)),
    bind: (_context, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  };
}

/** Remembers what it is told, as `metric{label=value,…}`. */
function remembering() {
  const counted = new Map<string, number>();
  const observed = new Map<string, readonly number[]>();
  const nameOf = (metric: string, labels: object) =>
    `${metric}{${Object.entries(labels).map(([name, value]) => `${name}=${value}`)}}`;
  const telemetry: Telemetry = {
    count: (metric, labels) => {
      expect(Object.keys(labels)).toEqual(COUNTERS[metric].labels);
      counted.set(nameOf(metric, labels), (counted.get(nameOf(metric, labels)) ?? 0) + 1);
    },
    observe: (metric, labels, value) => {
      expect(Object.keys(labels)).toEqual(HISTOGRAMS[metric].labels);
      expect(value).toBeGreaterThanOrEqual(0);
      observed.set(nameOf(metric, labels), [...(observed.get(nameOf(metric, labels)) ?? []), value]);
    },
  };
  return { telemetry, counted, observed };
}

test('a request is one trace, from the caller through the engine to the pages of the provider', async () => {
  const world = await createWorld();
  try {
    const { accountId, calendarId } = await world.connect('google');
    exporter.reset();
    const parent = '00f067aa0ba902b7';
    const answer = await world.call('GET', `/v1/events/${accountId}/${calendarId}`, {
      headers: { traceparent: `00-${TRACE_ID}-${parent}-01` },
    });
    expect(answer.status).toBe(200);
    const spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === TRACE_ID);
    const named = (name: string) => spans.filter((span) => span.name === name);
    const parentOf = (span: (typeof spans)[number]) =>
      spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
    const [request] = named('GET /v1/events/{endUserAccountId}/{calendarId}');
    expect(request?.parentSpanContext?.spanId).toBe(parent);
    expect(request?.attributes).toMatchObject({
      'http.route': '/v1/events/{endUserAccountId}/{calendarId}',
      'http.response.status_code': 200,
      'kalends.request_id': answer.headers.get('x-request-id'),
    });
    const [list] = named('kalends.events.listJson');
    expect(parentOf(list!)).toBe(request);
    expect(list?.attributes).toEqual({
      'kalends.application_id': world.applicationId,
      'kalends.account_id': accountId,
    });
    const pulls = named('kalends.pull').filter(({ attributes }) => attributes['kalends.collection'] === 'events');
    expect(pulls).toHaveLength(1);
    expect(parentOf(pulls[0]!)).toBe(list);
    expect(pulls[0]?.attributes['kalends.changed']).toBe(answer.body.data.length);
    const pages = named('provider.events.pull');
    expect(pages.length).toBeGreaterThan(0);
    for (const page of pages) expect(parentOf(page)).toBe(pulls[0]);
  } finally {
    await world.close();
  }
});

test('a readiness probe leaves no span: probes come each second, and each would be a trace of its own', async () => {
  const world = await createWorld();
  try {
    exporter.reset();
    expect(await world.engine.dataKeys.check()).toMatchObject({ opens: 'all' });
    await world.engine.dataKeys.checkKeyrings();
    const names = exporter.getFinishedSpans().map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('kalends.dataKeys.'))).toEqual(['kalends.dataKeys.checkKeyrings']);
  } finally {
    await world.close();
  }
});

test('a failure is told by its code, without its words', async () => {
  const world = await createWorld();
  try {
    const { accountId } = await world.connect('google');
    exporter.reset();
    await world.call('GET', `/v1/events/${accountId}/nowhere%40example.com`);
    const failed = exporter.getFinishedSpans().filter(({ name }) => name === 'kalends.events.listJson');
    expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['NotFound']);
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ events, status }) => [events, status]))).not.toContain(
      'nowhere',
    );
  } finally {
    await world.close();
  }
});

test('a delivery is a span and a count, told by its outcome and never by its address', async () => {
  const { telemetry, counted, observed } = remembering();
  const outcomes: readonly Partial<OutboundResult>[] = [
    { status: 204 },
    { status: 503 },
    { failure: 'address-refused' },
  ];
  for (const outcome of outcomes) {
    const result = {
      status: null,
      failure: null,
      retryAfterMs: null,
      excerpt: 'secret words',
      latencyMs: 7,
      ...outcome,
    };
    const sender = observeSender({ post: async () => result, close: async () => undefined }, telemetry);
    const request = { url: 'https://customer.test/hook', headers: {}, body: '{}', timeoutMs: 1 };
    expect(await sender.post(request)).toEqual(result);
  }
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ name, kind, attributes, status }) => [name, kind, attributes, status.code])).toEqual([
    ['kalends.deliver', SpanKind.CLIENT, { 'http.response.status_code': 204 }, SpanStatusCode.UNSET],
    [
      ...['kalends.deliver', SpanKind.CLIENT],
      ...[{ 'http.response.status_code': 503, 'error.type': '5xx' }, SpanStatusCode.ERROR],
    ],
    ['kalends.deliver', SpanKind.CLIENT, { 'error.type': 'address-refused' }, SpanStatusCode.ERROR],
  ]);
  expect(JSON.stringify(spans.map(({ attributes, events, status }) => [attributes, events, status]))).not.toMatch(
    /customer|secret/,
  );
  for (const result of ['2xx', '5xx', 'address-refused']) {
    expect(counted.get(`kalends_deliveries_total{result=${result}}`)).toBe(1);
    expect(observed.get(`kalends_delivery_duration_seconds{result=${result}}`)).toEqual([0.007]);
  }
});

test('calls of providers, pulls and requests are counted and timed', async () => {
  const { telemetry, counted, observed } = remembering();
  const world = await createWorld({ telemetry });
  try {
    const { accountId, calendarId } = await world.connect('google');
    await world.call('GET', `/v1/events/${accountId}/${calendarId}`);
    await world.call('GET', '/v1/nothing');
    const call = 'kalends_provider_calls_total{provider=PROVIDER_A,operation=events.pull,outcome=ok}';
    // One page: the end of the list is no call.
    expect(counted.get(call)).toBe(1);
    expect(
      observed.get('kalends_provider_call_duration_seconds{provider=PROVIDER_A,operation=events.pull}'),
    ).toHaveLength(1);
    const pull = 'kalends_pull_duration_seconds{provider=PROVIDER_A,collection=events,outcome=ok}';
    expect(observed.get(pull)).toHaveLength(1);
    const request = 'kalends_http_request_duration_seconds{route=/v1/events/{endUserAccountId}/{calendarId}';
    expect(observed.get(`${request},method=GET,status=200}`)).toHaveLength(1);
    expect(observed.get('kalends_http_request_duration_seconds{route=none,method=GET,status=404}')).toHaveLength(1);
  } finally {
    await world.close();
  }
});

import { readFileSync } from 'node:fs';
import { COUNTERS, HISTOGRAMS } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createLogger } from '../src/logger.ts';
import { createMetrics } from '../src/serve/metrics.ts';
import { type Server, startServer } from '../src/serve/server.ts';
import { readSettings } from '../src/settings.ts';

const TEXT = readFileSync(new URL('../../../docs/prometheus/alerts.yml', import.meta.url), 'utf8');
const TOKEN = 'mtr_0123456789abcdef';

// https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
const duration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/);
const texts = z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string().min(1));
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      interval: duration.optional(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Kalends[A-Z]\w+$/),
          expr: z.string().min(1),
          for: duration.optional(),
          labels: texts,
          annotations: texts,
        }),
      ),
    }),
  ),
});

const RULES = ruleFile.parse(parse(TEXT)).groups.flatMap(({ rules }) => rules);

/** Words of PromQL that the expressions may use; every other name is a metric. */
const WORDS = new Set('absent by delta increase offset or rate sum unless'.split(' '));

/** A metric of an expression, with the labels that select or group its series. */
interface Selector {
  readonly name: string;
  readonly labels: readonly string[];
}

function selectorsOf(expr: string): readonly Selector[] {
  const grouped = [...expr.matchAll(/\bby \(([\w, ]+)\)/g)].flatMap(([, names = '']) => names.split(', '));
  const bare = expr.replace(/\bby \([\w, ]+\)/g, '').replace(/\[\d+[smhd]\]|\boffset \d+[smhd]\b/g, '');
  return [...bare.matchAll(/([a-z_]\w*)(?:\{([^}]*)\})?/g)]
    .map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label).concat(grouped),
    }))
    .filter(({ name }) => !WORDS.has(name));
}

/** Counters whose growth in a time is compared, as `increase(name{matchers}[15m])` writes them. */
function increasesOf(expr: string): readonly { readonly series: string; readonly time: string }[] {
  return [...expr.matchAll(/\bincrease\((\w+(?:\{[^}]*\})?)\[(\w+)\]\)/g)].map(([, series = '', time = '']) => ({
    series,
    time,
  }));
}

let server: Server;
let metrics: string;

beforeAll(async () => {
  const { settings } = readSettings([], {
    KALENDS_DATABASE_URL: 'sqlite::memory:',
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_HOST: '127.0.0.1',
    KALENDS_PORT: '0',
    KALENDS_METRICS_TOKEN: TOKEN,
    KALENDS_LAME_DUCK_MS: '0',
  });
  server = await startServer('start', settings, createLogger('silent'));
  const url = `http://127.0.0.1:${server.port}`;
  expect((await fetch(`${url}/api/v1/endUserAccounts`)).status).toBe(401);
  metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
});
afterAll(() => server.stop());

/** Returns the labels of a metric as /metrics names it in its TYPE lines, undefined for a metric that it does not have. */
function labelsOf(name: string): readonly string[] | undefined {
  const types = new Map(
    [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, family = '', type = '']) => [family, type]),
  );
  const [, base = ''] = /^(.*?)(?:_total|_bucket|_count|_sum)?$/.exec(name) ?? [];
  if (types.get(name) === 'gauge') return [];
  if (types.get(base) === 'counter' && name.endsWith('_total')) {
    return Object.entries(COUNTERS).find(([counter]) => counter === name)?.[1].labels;
  }
  if (types.get(base) === 'histogram' && base !== name) {
    const labels = Object.entries(HISTOGRAMS).find(([histogram]) => histogram === base)?.[1].labels;
    return labels && [...labels, ...(name.endsWith('_bucket') ? ['le'] : [])];
  }
  return undefined;
}

it('has alerts of different names, each with a severity, a summary and what to do', () => {
  expect(RULES.length).toBeGreaterThan(15);
  expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
  for (const { alert, labels, annotations } of RULES) {
    expect(['page', 'ticket'], alert).toContain(labels['severity']);
    expect(Object.keys(annotations), alert).toEqual(['summary', 'description']);
  }
});

describe.each(RULES)('$alert', ({ expr, annotations }) => {
  it('names metrics and labels that a server has', () => {
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { name, labels } of selectors) {
      const known = labelsOf(name);
      expect(known, name).toBeDefined();
      for (const label of labels) expect(known, `${name}{${label}}`).toContain(label);
    }
  });

  it('is a comparison, with balanced brackets', () => {
    for (const [open, close] of ['()', '{}', '[]']) {
      expect(expr.split(open ?? '').length).toBe(expr.split(close ?? '').length);
    }
    expect(expr).toMatch(/^absent\(|(?:==|>) [\d.]+\s*$/);
  });

  it('shows only labels that the alert has', () => {
    const shown = [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label]) => label);
    const isAggregated = /\bsum\b/.test(expr);
    const kept = isAggregated ? selectorsOf(expr).flatMap(({ labels }) => labels) : ['instance'];
    for (const label of shown) expect(kept).toContain(label);
  });
});

/** Values of the series that a selector of an expression matches, by their labels. Its matchers must be `label="value"`. */
function valuesOf(selector: string, text: string): ReadonlyMap<string, number> {
  const [, name = '', matchers = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(selector) ?? [];
  const wanted = matchers === '' ? [] : matchers.split(',');
  const lines = text.split('\n').flatMap((line) => {
    const [, labels = '', value] = line.startsWith(`${name}{`) ? (/\{(.*)\} (\S+)$/.exec(line) ?? []) : [];
    return value === undefined ? [] : [{ labels, value: Number(value) }];
  });
  return new Map(
    lines
      .filter(({ labels }) => wanted.every((each) => labels.split(',').includes(each)))
      .map(({ labels, value }) => [labels, value]),
  );
}

// `increase` compares samples of one series: it does not see the event with which a series begins.
describe.each(RULES.filter(({ expr }) => increasesOf(expr).length > 0))('$alert', ({ expr }) => {
  it('sees the first event of a process', () => {
    for (const { series, time } of increasesOf(expr)) {
      if (expr.includes(`(${series} unless (${series} offset ${time}))`)) continue;
      const values = valuesOf(series, metrics);
      expect([...values.values()], series).not.toEqual([]);
      expect(new Set(values.values()), series).toEqual(new Set([0]));
    }
  });
});

it('the next scrape shows a first event in a series that the one before has', async () => {
  const providers = ['PROVIDER_A', 'PROVIDER_B'];
  const health = {
    stats: () => Promise.reject(new Error('not read here')),
    inspect: () => Promise.reject(new Error('not read here')),
  };
  const process = createMetrics(health, providers);
  const scrape = () => process.serialize(Promise.resolve(true));
  const before = await scrape();
  for (const outcome of ['dead', 'disabled']) process.count('kalends_messages_given_up_total', { outcome });
  for (const provider of providers) {
    process.count('kalends_accounts_expired_total', { provider });
    process.count('kalends_missed_pushes_total', { provider });
    process.observe('kalends_daily_budget_used_ratio', { provider }, 0.9);
  }
  const after = await scrape();
  const bornAtZero = RULES.flatMap(({ expr }) => increasesOf(expr))
    .map(({ series }) => series)
    .filter((series) => !series.includes('status='));
  expect(bornAtZero.length).toBeGreaterThan(5);
  for (const series of bornAtZero) {
    const now = valuesOf(series, after);
    expect([...now.keys()], series).toEqual([...valuesOf(series, before).keys()]);
    const grown = [...now.values()].map((value, index) => value - ([...valuesOf(series, before).values()][index] ?? 0));
    expect(new Set(grown), series).toEqual(new Set([series.includes('le=') ? 0 : 1]));
  }
});

it('has every bucket that an expression compares with', () => {
  for (const { expr } of RULES) {
    for (const [, name = '', bound = ''] of expr.matchAll(/(\w+)_bucket\{le="([\d.]+)"\}/g)) {
      const histogram = Object.entries(HISTOGRAMS).find(([each]) => each === name)?.[1];
      expect(histogram?.buckets, name).toContain(Number(bound));
    }
  }
});

it('takes no delivery for failed that a receiver or onMessage has taken', () => {
  const exprs = RULES.map(({ expr }) => expr).join('\n');
  const failing = [...exprs.matchAll(/kalends_deliveries_total\{result(!=|!~)"([^"]*)"\}/g)];
  expect(failing).toHaveLength(1);
  for (const [, , pattern = ''] of failing) {
    const isTaken = (result: string) => new RegExp(`^(?:${pattern})$`).test(result);
    const results = ['2xx', 'handled', '3xx', '4xx', '5xx', 'timeout', 'connection', 'tls', 'dns', 'handler-error'];
    expect(results.filter(isTaken)).toEqual(['2xx', 'handled']);
  }
});

it('finds a metric, a label and a bracket that are wrong', () => {
  expect(labelsOf('kalends_http_request_duration_seconds_count')).toEqual(['route', 'method', 'status']);
  expect(labelsOf('kalends_http_request_duration_seconds')).toBeUndefined();
  expect(labelsOf('kalends_nothing')).toBeUndefined();
  expect(selectorsOf('sum by (a, b) (rate(x_total{c=~"1|2",d!="3"}[5m])) / y > 1')).toEqual([
    { name: 'x_total', labels: ['c', 'd', 'a', 'b'] },
    { name: 'y', labels: ['a', 'b'] },
  ]);
});

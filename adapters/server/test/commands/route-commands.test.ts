import { readFileSync } from 'node:fs';
import { type AdminRoute, adminInterface } from '@kalends/http/administration';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseArguments } from '../../src/command-line.ts';
import { GROUPS } from '../../src/commands/all-commands.ts';
import { ENGINE_FLAGS } from '../../src/commands/engine-flags.ts';
import { optionsOf } from '../../src/commands/flag.ts';
import { operationOf, readInputs, requestOf } from '../../src/commands/operation.ts';
import { ownFlags, routeCommand } from '../../src/commands/route-command.ts';
import { SETTING_FLAGS } from '../../src/settings.ts';

const ROUTES = adminInterface.routes.map((route): [string, AdminRoute] => [route.operationId, route]);
/** Flags that stand for no field of the interface. */
const WAYS_TO_RUN = ['all', 'body', 'wait', 'yes'];

/** The fields of a schema as JSON Schema has them: an independent reading of what the flags are derived from. */
function propertiesOf(schema: z.ZodType | undefined): Record<string, { readonly [key: string]: unknown }> {
  if (schema === undefined) return {};
  const { $defs, $ref, properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    readonly $defs?: Record<string, { readonly properties: Record<string, object> }>;
    readonly $ref?: string;
    readonly properties?: Record<string, object>;
  };
  const own = $ref === undefined ? properties : $defs?.[$ref.replace('#/$defs/', '')]?.properties;
  return (own ?? {}) as ReturnType<typeof propertiesOf>;
}

const querySchema = ({ query }: AdminRoute) => (query === 'pass' ? undefined : query);

/** Splits the arguments of an example as a shell does, up to a redirection. */
const argumentsOf = (example: string): readonly string[] =>
  [...(example.split(' < ')[0] ?? '').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);

describe.each(ROUTES)('%s', (_, route) => {
  const operation = operationOf(route);
  const flags = ownFlags(operation);

  it('has words of its own, in a group that the help explains', () => {
    const { words } = route.command;
    expect(ROUTES.filter(([, other]) => other.command.words === words)).toHaveLength(1);
    expect(words).toMatch(/^[a-z]+( [a-z-]+)?$/);
    if (words.includes(' ')) expect(Object.keys(GROUPS)).toContain(words.split(' ')[0]);
  });

  it('takes every path parameter, query parameter and field of its body once', () => {
    const query = Object.keys(propertiesOf(querySchema(route))).filter((name) => name !== 'pageSize');
    const body = Object.entries(propertiesOf(route.body?.schema));
    const parameters = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const secrets = body.filter(([, { format }]) => format === 'password').map(([name]) => name);
    const fields = [...query, ...body.map(([name]) => name)];
    expect([...operation.query, ...operation.body].map(({ name }) => name).sort()).toEqual([...fields].sort());
    const positionals = route.command.positionals ?? [];
    for (const name of positionals) expect([...parameters, ...fields]).toContain(name);
    const expected = parameters.length + fields.length - positionals.length - secrets.length;
    expect(flags.filter(({ name }) => !WAYS_TO_RUN.includes(name))).toHaveLength(expected);
  });

  it('has flags of the kinds of its fields', () => {
    const properties = { ...propertiesOf(querySchema(route)), ...propertiesOf(route.body?.schema) };
    const typesOf = (shape: { readonly [key: string]: unknown }): readonly unknown[] =>
      Array.isArray(shape['anyOf']) ? shape['anyOf'].flatMap(typesOf) : [shape['type']];
    for (const { name, flag } of [...operation.query, ...operation.body]) {
      const found = flags.find((each) => each.name === flag);
      if (found === undefined) continue;
      const types = typesOf(properties[name] ?? {});
      const isList = types.includes('array') || types.includes('object');
      expect([name, found.kind]).toEqual([name, types.includes('boolean') ? 'switch' : isList ? 'list' : 'value']);
    }
  });

  it('has no flag that means something else', () => {
    const all = routeCommand(route).flags.map(({ name }) => name);
    expect(new Set(all).size).toBe(all.length);
    for (const { name } of ENGINE_FLAGS) expect(SETTING_FLAGS.map((flag) => flag.name)).toContain(name);
  });

  it('has an example that is a valid request', () => {
    const { values, positionals } = parseArguments(argumentsOf(route.command.example), optionsOf(flags));
    const inputs = readInputs(operation, { values, positionals, app: undefined, body: undefined });
    const secrets = Object.fromEntries(inputs.missingSecrets.map(({ name }) => [name, 'secret']));
    expect(Object.keys(secrets).length > 0).toBe(route.command.example.includes(' < '));
    const { method, path } = requestOf(operation, inputs);
    expect(method).toBe(route.method.toUpperCase());
    const pattern = route.path.replace(/\{\w+\}/g, '[^/]+');
    expect(path.split('?')[0]).toMatch(new RegExp(`^${pattern}$`));
    querySchema(route)?.parse(inputs.query);
    route.body?.schema.parse({ ...inputs.body, ...secrets });
  });

  it('asks before it deletes anything', () => {
    if (route.method === 'delete') expect(route.command.confirm).toBeDefined();
    expect(flags.some(({ name }) => name === 'yes')).toBe(route.command.confirm !== undefined);
  });

  it('shows columns, and names of the next step, that its answer has', () => {
    const [answer] = route.answers;
    const schema = JSON.stringify(answer?.schema === undefined ? {} : z.toJSONSchema(answer.schema, { io: 'input' }));
    for (const column of route.command.columns ?? []) {
      for (const name of column.split('.')) expect(schema).toContain(`"${name}":`);
    }
    const names = (text = '') => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    for (const name of names(route.command.confirm)) expect(operation.parameters).toContain(name);
    for (const name of names(route.command.next)) {
      expect([...operation.parameters, ...(schema.includes(`"${name}":`) ? [name] : [])]).toContain(name);
    }
  });
});

it('is the table of the decision', () => {
  const text = readFileSync(new URL('../../../../docs/decisions/0016-administration.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (\w+) \| `(\w+) (\S+?)`.*\| `([a-z -]+)` \|$/gm)];
  const written = rows.map(([, operationId, method, path, words]) => [operationId, method, `/admin/v1${path}`, words]);
  const built = adminInterface.routes.map(({ operationId, method, path, command }) => [
    operationId,
    method.toUpperCase(),
    path,
    command.words,
  ]);
  expect(written).toEqual(expect.arrayContaining(built));
});

it('refuses a schema that no flags can express, so that its route fails here', () => {
  const body = (shape: z.core.$ZodShape) => ({ ...ROUTES[0]![1], body: { schema: z.object(shape), required: true } });
  expect(() => operationOf(body({ inner: z.object({ a: z.string() }) }))).toThrow('No flag can express inner');
  expect(() => operationOf(body({ list: z.array(z.number()) }))).toThrow('No flag can express list');
});

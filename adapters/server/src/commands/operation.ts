import type { AdminRoute } from '@kalends/http/administration';
import { CommandError } from '../command-error.ts';
import { type Field, fieldsOf } from './fields.ts';
import { capitals, kebab } from './flag.ts';

/** An operation of the administration as a command sees it. */
export interface Operation {
  readonly route: AdminRoute;
  /** Names of the path parameters, in their order. */
  readonly parameters: readonly string[];
  /** Path parameters and body fields that are arguments, in their order. */
  readonly positionals: readonly string[];
  readonly query: readonly Field[];
  readonly body: readonly Field[];
}

/** Returns the operation of a route. @throws Error for a route that no command can express */
export function operationOf(route: AdminRoute): Operation {
  return {
    route,
    parameters: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
    positionals: route.command.positionals ?? [],
    query: route.query === 'pass' ? [] : fieldsOf(route.query),
    body: fieldsOf(route.body?.schema),
  };
}

/** Whether the operation answers page by page. */
export function isPaged({ query }: Operation): boolean {
  return query.some(({ name }) => name === 'pageToken');
}

/** Returns how a person names a field of the interface on the command line: `--redirect-url`, or `MESSAGE_ID`. */
export function titleOf({ parameters, positionals, query, body }: Operation, name: string): string {
  if (positionals.includes(name)) return capitals(name);
  const field = [...query, ...body].find((each) => each.name === name);
  if (field !== undefined) return `--${field.flag}`;
  // Errors name the provider of the path as the engine does: `providerType`.
  const parameter = parameters.find((each) => name === each || name === `${each}Type` || name === `${each}Id`);
  if (parameter === undefined) return name;
  return positionals.includes(parameter) ? capitals(parameter) : `--${kebab(parameter)}`;
}

/** A request to the administration. */
export interface AdminRequest {
  readonly method: string;
  /** Path behind the mount, from `/admin/v1` on, with its query. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Values that a command was given. */
export interface Given {
  /** Values of flags by the flag's name. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
  /** Application that the environment names, for the path. */
  readonly app: string | undefined;
  /** JSON body that a file contains; flags overwrite its fields. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Parameters and fields of a request, by their names in the interface. */
export interface Inputs {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Secret fields that are still to be read. */
  readonly missingSecrets: readonly Field[];
}

/**
 * Reads the inputs of an operation. Rules beyond presence and kind are the interface's, so that they are written once.
 * @throws CommandError naming an argument or a flag that is missing or of the wrong kind
 */
export function readInputs(operation: Operation, { values, positionals, app, body: sent }: Given): Inputs {
  const named = namedPositionals(operation, positionals);
  const parameters = Object.fromEntries(
    operation.parameters.map((name) => {
      const value = named[name] ?? (values[kebab(name)] as string | undefined) ?? (name === 'app' ? app : undefined);
      const title = titleOf(operation, name);
      // A URL's path would take these for a way up, to another object.
      if (value === '.' || value === '..') throw new CommandError(`${title} must be an id, not "${value}"`);
      if (value !== undefined && value !== '') return [name, value];
      throw new CommandError(`${title} is required${name === 'app' ? '; or set KALENDS_APP' : ''}`);
    }),
  );
  const query = Object.fromEntries(
    operation.query.flatMap((field) => {
      const value = values[field.flag];
      return value === undefined ? [] : [[field.name, String(value)]];
    }),
  );
  if (operation.route.body === undefined) return { parameters, query, body: undefined, missingSecrets: [] };
  const body: Record<string, unknown> = { ...sent };
  for (const field of operation.body) {
    const value = field.isSecret ? undefined : (named[field.name] ?? values[field.flag]);
    if (value !== undefined) body[field.name] = fieldValue(field, value);
    if (field.isRequired && !field.isSecret && body[field.name] === undefined) {
      throw new CommandError(`${titleOf(operation, field.name)} is required${hint(field)}`);
    }
  }
  const { secretWith = {} } = operation.route.command;
  const missingSecrets = operation.body.filter(
    ({ name, isSecret, isRequired }) =>
      isSecret && body[name] === undefined && (isRequired || body[secretWith[name] ?? ''] !== undefined),
  );
  return { parameters, query, body, missingSecrets };
}

function namedPositionals(operation: Operation, given: readonly string[]): Readonly<Record<string, string>> {
  const surplus = given[operation.positionals.length];
  if (surplus !== undefined) throw new CommandError(`Unexpected argument "${surplus}"`);
  return Object.fromEntries(given.map((value, index) => [operation.positionals[index] ?? '', value]));
}

const hint = ({ description }: Field): string => (description === '' ? '' : `: ${description}`);

/** Returns the value of a field from the texts of its flag. @throws CommandError for a value of another kind */
function fieldValue({ flag, kind, isNullable }: Field, value: unknown): unknown {
  if (isNullable && value === 'null') return null;
  if (kind === 'number') {
    if (!/^-?\d+(\.\d+)?$/.test(String(value))) throw new CommandError(`--${flag} must be a number, not "${value}"`);
    return Number(value);
  }
  if (kind !== 'pairs') return value;
  return Object.fromEntries((value as readonly string[]).map((pair) => pairOf(flag, pair)));
}

function pairOf(flag: string, pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new CommandError(`--${flag} must be NAME=VALUE, not "${pair}"`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** Returns the request of an operation. */
export function requestOf(
  { route }: Operation,
  { parameters, query, body }: Omit<Inputs, 'missingSecrets'>,
): AdminRequest {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return { method: route.method.toUpperCase(), path: search === '' ? path : `${path}?${search}`, body };
}

import { z } from 'zod';
import { capitals, type Flag, kebab } from './flag.ts';

/** Kinds of values: `texts` is a list, `pairs` an object of texts. */
export type FieldKind = 'text' | 'number' | 'switch' | 'texts' | 'pairs';

/** A query parameter or a field of a body, as a command takes it. */
export interface Field {
  readonly name: string;
  /** Its flag, without the dashes. */
  readonly flag: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** Whether the value `null` is JSON's null. */
  readonly isNullable: boolean;
  /** Whether it is read from the environment or standard input, since arguments show in the list of processes. */
  readonly isSecret: boolean;
  /** Whether it is true unless it is sent. */
  readonly isOn: boolean;
  readonly choices: readonly string[];
  readonly description: string;
}

/** Parts of JSON Schema that flags follow. */
interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
  readonly additionalProperties?: Shape | boolean;
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
}

/** Parameters that have another name in the same schema. */
const SYNONYMS: readonly string[] = ['pageSize'];

/** Names of flags that differ from their field's: an application is `--app` in all commands, a user name `--user`. */
const FLAGS: Readonly<Record<string, string>> = { applicationId: 'app', username: 'user' };

/** Returns the fields of a query or a body. @throws Error for a schema that no flags can express */
export function fieldsOf(schema: z.ZodType | undefined): readonly Field[] {
  if (schema === undefined) return [];
  if (!(schema instanceof z.ZodObject)) throw new Error('Only an object has flags.');
  return Object.entries<z.ZodType>(schema.shape)
    .filter(([name]) => !SYNONYMS.includes(name))
    .map(([name, field]) => fieldOf(name, field));
}

function fieldOf(name: string, schema: z.ZodType): Field {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  const shapes = alternatives(shape);
  const kind = kindOf(name, shapes);
  return {
    name,
    flag: FLAGS[name] ?? kebab(kind === 'texts' || kind === 'pairs' ? name.replace(/s$/, '') : name),
    kind,
    isRequired: !schema.safeParse(undefined).success,
    isNullable: schema.safeParse(null).success,
    isSecret: shapes.some(({ format }) => format === 'password'),
    isOn: shape.default === true,
    choices: shapes.flatMap(({ enum: values = [] }) => values.map(String)),
    description: (shape.description ?? '').replaceAll('`', ''),
  };
}

function alternatives(shape: Shape): readonly Shape[] {
  return shape.anyOf === undefined
    ? [shape]
    : shape.anyOf.flatMap((each) => alternatives({ ...inherited(shape), ...each }));
}

const inherited = ({ format }: Shape): Shape => (format === undefined ? {} : { format });

function kindOf(name: string, shapes: readonly Shape[]): FieldKind {
  const has = (type: string) => shapes.some((shape) => shape.type === type);
  if (has('array')) return textsOnly(name, 'texts', shapes.find(({ type }) => type === 'array')?.items);
  if (has('object')) {
    const values = shapes.find(({ type }) => type === 'object')?.additionalProperties;
    return textsOnly(name, 'pairs', typeof values === 'object' ? values : undefined);
  }
  if (has('boolean')) return 'switch';
  return has('number') || has('integer') ? 'number' : 'text';
}

function textsOnly(name: string, kind: FieldKind, values: Shape | undefined): FieldKind {
  if (values?.type === 'string') return kind;
  throw new Error(`No flag can express ${name}: only lists and objects of texts have flags.`);
}

/** Returns the flag of a field. */
export function flagOf({ flag: name, kind, choices, description, isRequired, isOn }: Field): Flag {
  if (kind === 'switch') return { name, kind, isOn, summary: isOn ? `Not: ${description}` : description };
  const value = kind === 'pairs' ? 'NAME=VALUE' : choices.length > 0 ? choices.join('|') : capitals(name);
  const isList = kind === 'texts' || kind === 'pairs';
  return { name, kind: isList ? 'list' : 'value', value, summary: description, choices, isRequired };
}

import type { Dice } from '../../simulation/dice.ts';
import type { Json } from '../world.ts';

/** Returns a value that a schema allows, as far as it says; strings by the name of their field. */
export function sampleOf(
  schema: Json,
  name: string,
  dice: Dice,
  texts: Readonly<Record<string, readonly string[]>>,
): unknown {
  const sample = (part: Json, of = name) => sampleOf(part, of, dice, texts);
  if (schema.enum !== undefined) return dice.pick(schema.enum as readonly unknown[]);
  if (schema.allOf !== undefined) return sample(schema.allOf[0]);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return sample(dice.pick(choices as readonly Json[]));
  const types = [schema.type ?? 'string'].flat() as readonly string[];
  const type = types.length > 1 && dice.chance(0.15) ? 'null' : types.find((each) => each !== 'null');
  switch (type) {
    case 'object':
      return objectOf(schema, dice, sample);
    case 'array':
      return Array.from({ length: dice.below(3) }, () => sample(schema.items ?? {}));
    case 'boolean':
      return dice.chance(0.5);
    case 'number':
    case 'integer':
      return dice.pick([schema.minimum ?? 0, 1, 10, schema.maximum ?? 100]);
    case 'null':
      return null;
    default:
      return dice.pick(texts[name] ?? ['x', 'A name', 'ÄÖ🦄']);
  }
}

function objectOf(schema: Json, dice: Dice, sample: (part: Json, of: string) => unknown): object {
  const required: readonly string[] = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {}).filter((name) => required.includes(name) || dice.chance(0.15));
  const entries = names.map((name): [string, unknown] => [name, sample(schema.properties[name], name)]);
  if (typeof schema.additionalProperties === 'object' && dice.chance(0.5)) {
    entries.push(['key', sample(schema.additionalProperties, 'key')]);
  }
  return Object.fromEntries(entries);
}

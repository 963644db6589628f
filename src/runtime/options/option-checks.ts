import { invalid } from '../../errors.ts';
import { isFieldsFirst } from '../logging/fields-first.ts';

/**
 * Refuses members that options do not have: a misspelt one would count as left out, without a word. One that is undefined
 * is left out either way.
 * @param prefix path of the options, with a dot at its end
 * @throws KalendsError InvalidRequest naming the member
 */
export function checkNames(given: object, names: readonly string[], prefix = ''): void {
  const found = Object.entries(given).find(([name, value]) => value !== undefined && !names.includes(name));
  if (found === undefined) return;
  const [unknown] = found;
  const meant = names.find((name) => name.toLowerCase() === unknown.toLowerCase());
  const hint = meant === undefined ? `the options are ${names.join(', ')}` : `did you mean ${meant}?`;
  throw invalid(`${prefix}${unknown}`, `is not an option; ${hint}`);
}

/** Whether a value is an object with all of these functions, its own or those of its class; functions and classes are objects too. */
export function hasFunctions(value: unknown, functions: readonly string[]): value is object {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return functions.every((name) => typeof value[name as keyof typeof value] === 'function');
}

/** Functions of the ports that hosts pass as options. */
const FUNCTIONS = {
  logger: ['debug', 'info', 'warn', 'error'],
  clock: ['now', 'sleep'],
  random: ['bytes', 'fraction'],
  telemetry: ['count', 'observe'],
} as const;

/**
 * Checks the options that are ports of the process; undefined is left out.
 * @throws KalendsError InvalidRequest naming the option and the functions that it needs
 */
export function checkProcessPorts(options: { readonly [Name in keyof typeof FUNCTIONS]?: unknown }): void {
  for (const [name, functions] of Object.entries(FUNCTIONS)) {
    const given = options[name as keyof typeof FUNCTIONS];
    if (given === undefined) continue;
    if (!hasFunctions(given, functions)) {
      throw invalid(name, `must be an object with the functions ${functions.join(', ')}`);
    }
    if (name === 'logger' && isFieldsFirst(given)) {
      throw invalid(name, 'must take the message before the fields; wrap this one in fieldsFirst of kalends');
    }
  }
}

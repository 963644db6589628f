import { KalendsError, withoutTrailing } from 'kalends/ports';
import { checkNames } from 'kalends/runtime';

/** A rule of an option: its test, and its words. */
type Rule = readonly [isKept: (value: unknown) => boolean, words: string];

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 1;

const COUNT: Rule = [
  (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
  'must be a whole number from 1 on, or Infinity',
];
const SIZE: Rule = [isCount, 'must be a whole number from 1 on'];
const DURATION: Rule = [(value) => isNumber(value) && value > 0, 'must be more than 0 milliseconds'];
const WAIT: Rule = [(value) => isNumber(value) && value >= 0, 'must be a number of milliseconds, from 0 on'];
const WAITS: Rule = [
  (value) => Array.isArray(value) && value.every((wait) => Number.isFinite(wait) && wait >= 0),
  'must be a list of milliseconds, each from 0 on',
];

const RULES: Readonly<Record<string, Rule>> = {
  concurrency: COUNT,
  callsPerInterval: COUNT,
  intervalMs: DURATION,
  timeoutMs: DURATION,
  maxAnswerBytes: COUNT,
  attempts: COUNT,
  baseDelayMs: WAIT,
  maxDelayMs: WAIT,
  maxWaitMs: WAIT,
};

/** Creates the error of an option that cannot be used. */
export function wrongOption(path: string, rule: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${rule}`, { details: [{ path, message: rule }] });
}

/**
 * Checks a group of numbers and fills in its defaults, which also tell what each is: a list of waits, or a number.
 * @throws KalendsError InvalidRequest naming the option and its rule
 */
export function readNumbers<Numbers extends object>(
  name: string,
  given: object | undefined,
  defaults: Numbers,
): Numbers {
  if (given === undefined) return defaults;
  if (typeof given !== 'object' || given === null) throw wrongOption(name, 'must be an object of options');
  checkNames(given, Object.keys(defaults), `${name}.`);
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [option, value] of set) {
    const fallback: unknown = defaults[option as keyof Numbers];
    const [isKept, words] = RULES[option] ?? (Array.isArray(fallback) ? WAITS : SIZE);
    if (!isKept(value)) throw wrongOption(`${name}.${option}`, words);
  }
  return { ...defaults, ...Object.fromEntries(set) };
}

/** Returns a root without its slash at the end. @throws KalendsError InvalidRequest for one that is no http or https URL */
export function readRoot(option: string, url: string): string {
  return withoutTrailing(readUrl(option, url), '/');
}

/** Returns the URL as it is. @throws KalendsError InvalidRequest for one that is no http or https URL */
export function readUrl(option: string, url: string): string {
  // Without types, a URL object is easily passed.
  if (typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw wrongOption(option, 'must be an http or https URL');
}

/** Returns the scopes to ask for. @throws KalendsError InvalidRequest for anything but a list of at least one */
export function readScopes(scopes: readonly string[]): readonly string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && /^[\x21-\x7e]+$/.test(scope);
  if (Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope)) return scopes;
  throw wrongOption('scopes', 'must be a list of scopes, with at least one');
}

import { invalid } from '../../errors.ts';
import { requireStorableText } from '../../model/index.ts';

/** Whether a text is among these parameters. */
type HasText<Parameters> = Parameters extends readonly [infer First, ...infer Rest]
  ? [First] extends [string]
    ? true
    : HasText<Rest>
  : false;

/** Names of the texts among the parameters of a method, up to the last text; null: not checked. */
type TextNames<Parameters> =
  HasText<Parameters> extends true
    ? Parameters extends readonly [infer First, ...infer Rest]
      ? readonly [[First] extends [string] ? string | null : null, ...TextNames<Rest>]
      : readonly []
    : readonly [];

/** For each method of each service the names of its texts. A new method does not compile until it is listed. */
export type ServiceTexts<Services> = {
  readonly [Service in keyof Services]: {
    readonly [Method in keyof Services[Service]]: Services[Service][Method] extends (...parameters: infer P) => unknown
      ? TextNames<Required<P>>
      : never;
  };
};

type Names = readonly (string | null)[];
type Method = (...parameters: readonly unknown[]) => Promise<unknown>;

/**
 * Returns the same services, whose methods reject ids that are left out, and those with U+0000 or lone surrogates: not every
 * storage can look them up. Bodies and queries are checked by the model.
 */
export function checkTexts<Services extends object>(services: Services, texts: ServiceTexts<Services>): Services {
  const namesOf: Readonly<Record<string, Readonly<Record<string, Names>>>> = texts;
  const checked = Object.entries(services).map(([name, service]) => [name, checkService(service, namesOf[name] ?? {})]);
  return Object.fromEntries(checked) as Services;
}

function checkService(service: object, texts: Readonly<Record<string, Names>>): object {
  const methods = Object.entries(service).map(([method, work]) => {
    const names = texts[method] ?? [];
    if (typeof work !== 'function' || names.length === 0) return [method, work];
    const checked: Method = async (...parameters) => {
      for (const [index, name] of names.entries()) {
        if (name !== null) requireId(name, parameters[index]);
      }
      return await work.apply(service, parameters);
    };
    return [method, checked];
  });
  return Object.fromEntries(methods);
}

/** @throws KalendsError InvalidRequest naming the id */
export function requireId(name: string, id: unknown): void {
  if (typeof id !== 'string' || id === '') throw invalid(name, 'must be a text that is not empty');
  requireStorableText(name, id);
}

import { invalid } from '../../errors.ts';
import { KalendsError } from '../../ports/index.ts';
import { requireId } from './checked-texts.ts';

/** Whether a method changes something, for keys that may only read. */
export type MethodEffect = 'reads' | 'writes';

/** The effect of each method of each service. A new method does not compile until it is listed. */
export type ServiceEffects<Services> = {
  readonly [Service in keyof Services]: { readonly [Method in keyof Services[Service]]: MethodEffect };
};

type Method = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Returns the same services, whose methods refuse what is no caller, and those that write refuse callers that may only read.
 * Methods of the services in the table take the caller first; services that are not in it stay as they are.
 */
export function checkRights<Services extends object>(
  services: Services,
  effects: ServiceEffects<Partial<Services>>,
): Services {
  const checked = Object.entries(effects).map(([name, methods]) => {
    const service = services[name as keyof Services] as object;
    return [name, checkService(service, methods as Readonly<Record<string, MethodEffect>>)];
  });
  return { ...services, ...Object.fromEntries(checked) };
}

function checkService(service: object, effects: Readonly<Record<string, MethodEffect>>): object {
  const methods = Object.entries(service).map(([method, work]) => {
    const writes = effects[method] === 'writes';
    const checked: Method = async (...parameters) => {
      const caller = requireCaller(parameters[0]);
      if (writes && caller.readOnly === true) throw new KalendsError('Forbidden', 'This API key may only read.');
      return await (work as Method).apply(service, parameters);
    };
    return [method, checked];
  });
  return { ...service, ...Object.fromEntries(methods) };
}

function requireCaller(caller: unknown): { readonly readOnly?: unknown } {
  if (typeof caller !== 'object' || caller === null) throw invalid('caller', 'must be { applicationId }');
  requireId('caller.applicationId', 'applicationId' in caller ? caller.applicationId : undefined);
  return caller;
}

import type { ErasureReport, ErasureService } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { Storage, Trace } from '../ports/index.ts';

/** Columns in which the ids of deleted accounts stay: the log of who did what. They name no person. */
const PSEUDONYMOUS = ['kalends_audit_entry.target'];
/** Shorter texts would be found everywhere. */
const SHORTEST = 3;

/** Creates the service that looks for what a deleted account has left in the database. */
export function createErasureService({ storage }: { readonly storage: Pick<Storage, 'erasure'> }): ErasureService {
  return {
    async verify({ accountId, texts = [] }): Promise<ErasureReport> {
      const given = [...(accountId === undefined ? [] : [accountId]), ...texts];
      if (given.length === 0)
        throw refused('texts', 'must name the account, or texts of the person such as an e-mail address');
      if (given.some((text) => text.length < SHORTEST))
        throw refused('texts', `must have at least ${SHORTEST} characters each`);
      const found = accountId === undefined ? [] : await storage.erasure.find([accountId]);
      const isKept = ({ table, column }: Trace) => PSEUDONYMOUS.includes(`${table}.${column}`);
      const personal = texts.length === 0 ? [] : await storage.erasure.find(texts.flatMap(formsOf));
      const traces = merged([...found.filter((trace) => !isKept(trace)), ...personal]);
      const { ownerless, sealed } = await storage.erasure.findOwnerless();
      return {
        isErased: traces.length === 0 && ownerless.length === 0,
        traces,
        ownerless,
        kept: found.filter(isKept),
        sealed,
      };
    },
  };
}

/** The forms in which a text may stand in others: composed or not, as it is, in JSON, and in URLs. */
function formsOf(text: string): readonly string[] {
  const forms = [text, text.normalize('NFC'), text.normalize('NFD')].flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    encodeURIComponent(form.replace(/\p{Surrogate}/gu, '\ufffd')),
  ]);
  return [...new Set(forms)];
}

/** Keeps one trace of each column, that with the most rows: id and texts may stand in the same rows. */
function merged(traces: readonly Trace[]): readonly Trace[] {
  const columns = new Map<string, Trace>();
  for (const trace of traces) {
    const name = `${trace.table}.${trace.column}`;
    if ((columns.get(name)?.rows ?? 0) < trace.rows) columns.set(name, trace);
  }
  return [...columns.values()];
}

function refused(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}

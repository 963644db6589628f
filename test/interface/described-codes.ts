import { documents } from '../openapi/documents.ts';
import { operationsIn } from './documents/operations.ts';
import type { Answer, Json } from './world.ts';

interface DescribedCodes {
  readonly method: string;
  readonly path: RegExp;
  readonly id: string;
  /** Error codes of each status. */
  readonly codes: ReadonlyMap<string, readonly string[]>;
}

/** Returns the operations of a document, those with fewer parameters first. */
const codesIn = (document: Json): readonly DescribedCodes[] =>
  operationsIn(document)
    .toSorted((one, other) => one.inPath.length - other.inPath.length)
    .map(({ method, path, id, operation }) => ({
      method,
      path: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
      id,
      codes: new Map(
        Object.entries<Json>(operation.responses).map(([status, { content }]) => [
          status,
          Object.keys(content?.['application/problem+json']?.examples ?? {}),
        ]),
      ),
    }));

const { 'openapi.json': application, 'admin-openapi.json': administration } = documents();
const described = { application: codesIn(application), administration: codesIn(administration) };

/**
 * Demands that the document of an interface names the error code of an answer under its status. Answers to what is no operation are
 * passed over.
 */
export function requireDescribedCode(
  of: keyof typeof described,
  method: string,
  target: string,
  { status, body }: Answer,
): void {
  const code: unknown = body?.code;
  if (status < 400 || typeof code !== 'string') return;
  const [path = ''] = target.split('?');
  const wanted = method === 'HEAD' ? 'GET' : method;
  const operation = described[of].find((each) => each.method === wanted && each.path.test(path));
  if (operation === undefined || operation.codes.get(String(status))?.includes(code)) return;
  throw new Error(`${operation.id} answered ${status} ${code}, which its document does not name: ${body.detail}`);
}

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const ownerOf = async (path: string) => (await stat(path)).uid;

/**
 * Warns of a SQLite file that was restored by another user than its folder's, mostly root: the service may not open it. Resolves
 * with a line and what to run, empty when there is nothing to say, as for databases that are no files.
 * @param readOwner reads the numeric id of the user whom a file or folder belongs to; for tests
 */
export async function ownerWarning(databaseUrl: string, readOwner = ownerOf): Promise<string> {
  const path = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (path === undefined || path === ':memory:') return '';
  const folder = dirname(path);
  const [ofFile, ofFolder] = await Promise.all([readOwner(path), readOwner(folder)]);
  if (ofFile === ofFolder) return '';
  return `warning: ${path} has another owner than its folder, whose user may not open it. Run: chown --reference='${folder}' '${path}'\n`;
}

import { fileURLToPath } from 'node:url';
import { runShell } from '../processes/run-shell.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies what a clone of this tree would have, uncommitted changes included, into a new folder. */
export async function copyTree(folder: string): Promise<void> {
  const files = 'git ls-files -z --cached --others --exclude-standard --deduplicate';
  const ofClone = `${files} | tar --null --create --ignore-failed-read --files-from=-`;
  // An unpacked archive of the sources has no git, and no changes either.
  const ofFiles = 'tar --create --exclude=node_modules --exclude=dist --exclude=.kalends .';
  const isClone = 'git rev-parse --git-dir >/dev/null 2>&1';
  await runShell(
    `mkdir '${folder}'; (if ${isClone}; then ${ofClone}; else ${ofFiles}; fi) | tar -x -C '${folder}'`,
    ROOT,
  );
}

import { fileURLToPath } from 'node:url';
import { runShell } from '../processes/run-shell.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies what a clone of this tree would have, uncommitted changes included, into a new folder. */
export async function copyTree(folder: string): Promise<void> {
  const files = 'git ls-files -z --cached --others --exclude-standard --deduplicate';
  await runShell(
    `mkdir '${folder}'; ${files} | tar --null --create --ignore-failed-read --files-from=- | tar -x -C '${folder}'`,
    ROOT,
  );
}

// Validates the sandbox's answers, and its clients' requests, against the providers' own descriptions:
// npm run check:contracts -- DIR
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkContracts } from './checked-sessions.ts';

const DESCRIPTIONS = ['google-calendar-v3.discovery.json', 'graph-calendar.openapi.json'];

/** Prints the result; the process fails if anything is not as described. */
export async function main(directory?: string): Promise<void> {
  const missing = DESCRIPTIONS.filter((name) => directory === undefined || !existsSync(join(directory, name)));
  if (directory === undefined || missing.length > 0) {
    const place = directory === undefined ? 'no directory is given for' : `${directory} does not hold`;
    const notice = `The sandbox is NOT checked against the providers' own descriptions: ${place} ${missing.join(' and ')}.`;
    // Hosted runs have no descriptions; their summary page shows warnings in this form.
    console.log(process.env['GITHUB_ACTIONS'] === 'true' ? `::warning title=Contracts not checked::${notice}` : notice);
    return;
  }
  const { checked, skipped, disagreements, failures } = await checkContracts(directory);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  for (const [provider, { requests, answers, operations }] of Object.entries(checked))
    console.log(`${provider}: ${requests} requests and ${answers} answers checked in ${operations.size} operations`);
  console.log(
    `${skipped} exchanges outside the contracts (OAuth), ${disagreements} known disagreements, ${failures.size} failures`,
  );
  process.exitCode = failures.size === 0 ? 0 : 1;
}

#!/usr/bin/env node
// Validates the sandbox's answers, and its clients' requests, against the providers' own descriptions.
// Usage: node adapters/sandbox/scripts/check-contracts.js DIR
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkContracts } from './contracts/check.js';

const DESCRIPTIONS = ['google-calendar-v3.discovery.json', 'graph-calendar.openapi.json'];

const [directory] = process.argv.slice(2);
const missing = DESCRIPTIONS.filter((name) => directory === undefined || !existsSync(join(directory, name)));

if (missing.length > 0) {
  const place = directory === undefined ? 'no directory is given for' : `${directory} does not hold`;
  const notice = `The sandbox is NOT checked against the providers' own descriptions: ${place} ${missing.join(' and ')}.`;
  // Hosted runs have no descriptions; their summary page shows warnings in this form.
  console.log(process.env.GITHUB_ACTIONS === 'true' ? `::warning title=Contracts not checked::${notice}` : notice);
} else {
  const { checked, skipped, disagreements, failures } = await checkContracts(directory);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  for (const [provider, counts] of Object.entries(checked)) {
    console.log(
      `${provider}: ${counts.requests} requests and ${counts.answers} answers checked in ${counts.operations} operations`,
    );
  }
  console.log(
    `${skipped} exchanges outside the contracts (OAuth), ${disagreements} known disagreements, ${failures.length} failures`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}

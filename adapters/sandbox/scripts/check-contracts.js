#!/usr/bin/env node
// Validates what the sandbox answers, and what clients send to it, against the providers' own descriptions.
// Usage: node adapters/sandbox/scripts/check-contracts.js DIR
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkContracts } from './contracts/check.js';

const [directory] = process.argv.slice(2);
const isThere =
  directory !== undefined &&
  ['google-calendar-v3.discovery.json', 'graph-calendar.openapi.json'].every((name) =>
    existsSync(join(directory, name)),
  );

if (!isThere) {
  console.log(`NOT CHECKED: no contracts in ${directory ?? '(no directory given)'}`);
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

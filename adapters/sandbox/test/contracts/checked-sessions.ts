import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { runGoogleAdapter, runMicrosoftAdapter } from './adapter-session.ts';
import type { Contract } from './contract.ts';
import { createGoogleContract } from './google-contract.ts';
import { runGoogleSession } from './google-session.ts';
import { createGraphContract } from './graph-contract.ts';
import { runMicrosoftSession } from './microsoft-session.ts';

type Contracts = Readonly<Record<'google' | 'microsoft', Contract>>;
type Exchange = ReturnType<Sandbox['requests']['list']>[number];

interface Counts {
  requests: number;
  answers: number;
  readonly operations: Set<string>;
}

interface CheckResult {
  readonly checked: Readonly<Record<'google' | 'microsoft', Counts>>;
  /** Exchanges outside the contracts. */
  skipped: number;
  /** Problems that are known differences between the descriptions and the live services. */
  disagreements: number;
  readonly failures: Set<string>;
}

/**
 * The checked sessions; each drives a fresh, listening sandbox. `isClient` sessions are real clients:
 * their request bodies are checked even where the server refuses them.
 */
const SESSIONS = [
  { run: runGoogleSession, isClient: false },
  { run: runMicrosoftSession, isClient: false },
  { run: runGoogleAdapter, isClient: true },
  { run: runMicrosoftAdapter, isClient: true },
];

/** Differences between the descriptions and the live services, each with its reason. */
const KNOWN_DISAGREEMENTS = [
  // getSchedule answers null instead of an empty list for a mailbox it does not know.
  { where: /^microsoft POST .*\/getSchedule/, problem: /scheduleItems must be array/ },
];

const OUTSIDE = [/^\/(?:o\/oauth2|token|revoke|oauth2|\.well-known)/, /^\/[^/]+\/(?:oauth2|discovery|v2\.0)\//];

/** Runs every session and checks every exchange; answers counts and one line per failure. */
export async function checkContracts(directory: string): Promise<CheckResult> {
  const read = (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8'));
  const contracts: Contracts = {
    google: createGoogleContract(read('google-calendar-v3.discovery.json')),
    microsoft: createGraphContract(read('graph-calendar.openapi.json')),
  };
  const result: CheckResult = {
    checked: { google: noCounts(), microsoft: noCounts() },
    skipped: 0,
    disagreements: 0,
    failures: new Set(),
  };
  for (const { run, isClient } of SESSIONS) {
    const sandbox = createSandbox({ seed: 1, clock: { now: () => Date.UTC(2026, 2, 2, 12) } });
    const listening = await sandbox.listen();
    try {
      // The log of requests keeps the last ones only: a long session has it read from time to time.
      const readLog = () => {
        for (const exchange of sandbox.requests.list()) checkExchange(contracts, exchange, isClient, result);
        sandbox.requests.clear();
      };
      await run(sandbox, listening.url, readLog);
      readLog();
    } finally {
      await sandbox.close();
    }
  }
  return result;
}

function noCounts(): Counts {
  return { requests: 0, answers: 0, operations: new Set() };
}

function checkExchange(contracts: Contracts, exchange: Exchange, isClient: boolean, result: CheckResult): void {
  if (exchange.fault !== null) return;
  if (OUTSIDE.some((pattern) => pattern.test(exchange.path))) {
    result.skipped += 1;
    return;
  }
  const where = `${exchange.provider} ${exchange.method} ${exchange.path}${exchange.query} -> ${exchange.status}`;
  const { provider } = exchange;
  // RFC 4791 comes with no machine-readable contract.
  if (provider === 'caldav') return;
  const contract = contracts[provider];
  const operation = contract.find(exchange.method, exchange.path);
  if (operation === undefined) {
    // A path that no contract knows may only be refused.
    if (exchange.status < 400) result.failures.add(`${where}: not in the contract`);
    return;
  }
  const counts = result.checked[provider];
  counts.operations.add(operation.id);
  const problems = operation.checkAnswer(exchange.status, exchange.responseBody).map((problem) => `answer ${problem}`);
  counts.answers += 1;
  if (exchange.status < 400 || isClient) {
    counts.requests += 1;
    problems.push(...operation.checkQuery(new URLSearchParams(exchange.query)).map((problem) => `query ${problem}`));
    problems.push(...operation.checkBody(exchange.requestBody).map((problem) => `body ${problem}`));
  }
  for (const problem of problems) {
    const isKnown = KNOWN_DISAGREEMENTS.some((known) => known.where.test(where) && known.problem.test(problem));
    if (isKnown) result.disagreements += 1;
    else result.failures.add(`${where}: ${problem}`);
  }
}

import { vaultKeyring } from '@kalends/vault';
import type { Clock, Keyring, Sealer, Storage } from 'kalends/ports';
import { createLocalKeyring, createSealer, joinKeyrings, parseSecrets, systemRandom } from 'kalends/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startVault } from '../../adapters/vault/test/server/start-vault.ts';
import { openSecrets } from '../../src/webhooks/target-secret.ts';
import { basicProvider } from '../accounts/calendar-server.ts';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { type Dice, dice } from '../simulation/dice.ts';
import { type DatabaseCells, openCells } from '../storages/database-cells.ts';
import { newDatabase } from '../storages/new-database.ts';

type Row = Readonly<Record<string, unknown>>;

/** Everything that opens sealed values in an engine. */
interface World {
  readonly services: ComposedEngine['engine']['services'];
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sealer: Sealer;
}

/** How the engine opens the sealed columns of a table's rows when it needs them. */
interface SealedTable {
  readonly columns: readonly string[];
  open(world: World, row: Row): Promise<unknown>;
}

/** By table. A new sealed column fails the test until it is here. */
const SEALED: Readonly<Record<string, SealedTable>> = {
  kalends_credential: {
    columns: ['wrapped_key', 'sealed_access_token', 'sealed_refresh_token', 'sealed_credentials'],
    open: ({ services }, row) =>
      services.accounts.getCredentials({ applicationId: textOf(row, 'application_id') }, textOf(row, 'account_id')),
  },
  kalends_provider_config: {
    columns: ['wrapped_key', 'sealed_client_secret'],
    open: ({ services }, row) =>
      services.oauthClients.test(textOf(row, 'application_id'), textOf(row, 'provider_type')),
  },
  kalends_target: {
    columns: ['wrapped_key', 'sealed_secret', 'previous_sealed_secret'],
    async open({ storage, clock, sealer }, row) {
      const target = await storage.targets.find(textOf(row, 'application_id'), textOf(row, 'id'));
      if (target === undefined) throw new Error('the target is gone');
      return await openSecrets(sealer, target, clock.now());
    },
  },
};

/** The form of a wrapped key, and that of a sealed value, anywhere in a text. */
const SEALED_FORM = /(^|[^\w.])1\.([\w-]{8}\.[\w:+/=-]{30,}|[\w-]{38,})/;

const textOf = (row: Row, column: string): string => String(row[column]);

/** A cell of a sealed column, with what it held at first. */
interface Cell {
  readonly table: string;
  readonly id: string;
  readonly column: string;
  readonly value: string;
}

/** New values of cells, such that no row with one of them may open. */
type Alteration = readonly { readonly cell: Cell; readonly value: string }[];

/** Two tenants, with two accounts with OAuth and one without, two OAuth clients, and rotated secrets of endpoints and subscriptions each. */
async function openWorld(database: string, keyring: Keyring): Promise<World> {
  const composed = await openComposedEngine({ keyring, webhooks: { allowedNetworks: ['127.0.0.0/8'] } }, database);
  const { storage, clock, fake } = composed;
  const DAV = basicProvider({ kinds: ['url'] });
  const { services } = composed.process({ providers: { FAKE: fake.provider, OTHER: fake.provider, DAV } });
  const other = await services.applications.create({ name: 'Other' });
  for (const applicationId of [composed.applicationId, other.id]) {
    const caller = { applicationId };
    for (const type of ['FAKE', 'OTHER']) {
      await services.oauthClients.set(applicationId, type, { clientId: 'client', clientSecret: 'hush' });
    }
    for (const email of ['ada@example.com', 'eve@example.com']) {
      fake.grant(`rt-${applicationId}-${email}`, email);
      const body = { email, providerType: 'FAKE', refreshToken: `rt-${applicationId}-${email}` };
      await services.accounts.upsert(caller, body);
      const webhook = { webhookUrl: `http://127.0.0.1:9999/${email}` };
      const { webhookEndpointId } = await services.webhookEndpoints.create(caller, webhook);
      await services.webhookEndpoints.rotateSecret(caller, webhookEndpointId);
    }
  }
  for (const applicationId of [composed.applicationId, other.id]) {
    const credentials = { kind: 'url', url: `https://feeds.example/${applicationId}.ics` } as const;
    await services.accounts.upsert({ applicationId }, { providerType: 'DAV', credentials });
  }
  const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const sealer = createSealer({
    keyring: joinKeyrings([keyring]),
    clock,
    random: systemRandom,
    logger,
    cachedDataKeys: 100,
  });
  return { services, storage, clock, sealer };
}

/** All rows with sealed columns, in one order: a database may return changed rows last. */
async function sealedRows(database: DatabaseCells): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const table of Object.keys(SEALED)) rows.push(...(await database.rows(table)));
  return rows.sort((one, other) => (textOf(one, 'id') < textOf(other, 'id') ? -1 : 1));
}

async function cellsOf(database: DatabaseCells): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const [table, { columns }] of Object.entries(SEALED)) {
    for (const row of await database.rows(table)) {
      const held = columns.filter((column) => row[column] !== null);
      for (const column of held) cells.push({ table, id: textOf(row, 'id'), column, value: textOf(row, column) });
    }
  }
  return cells;
}

/** Draws an alteration: a flipped bit, a copy, a swap of two cells, or a swap of all sealed columns of two rows. */
function drawAlteration(cells: readonly Cell[], chosen: Dice): Alteration {
  const one = chosen.pick(cells);
  const other = chosen.pick(cells.filter(({ value }) => value !== one.value));
  switch (chosen.below(4)) {
    case 0:
      return [{ cell: one, value: withOneBitFlipped(one.value, chosen) }];
    case 1:
      return [{ cell: one, value: other.value }];
    case 2:
      return [
        { cell: one, value: other.value },
        { cell: other, value: one.value },
      ];
    default: {
      const rowOf = ({ table, id }: Cell) => cells.filter((cell) => cell.table === table && cell.id === id);
      const partner = chosen.pick(cells.filter(({ table, id }) => table === one.table && id !== one.id));
      const cellAt = (column: string) => rowOf(partner).find((cell) => cell.column === column);
      const pairs = rowOf(one).map((cell) => [cell, cellAt(cell.column) ?? cell] as const);
      return pairs.flatMap(([left, right]) => [
        { cell: left, value: right.value },
        { cell: right, value: left.value },
      ]);
    }
  }
}

function withOneBitFlipped(text: string, chosen: Dice): string {
  const at = chosen.below(text.length);
  // Databases keep no U+0000.
  const code = text.charCodeAt(at) ^ (1 << chosen.below(7)) || 1;
  return `${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at + 1)}`;
}

/** Plays alterations one after the other; each must fail clearly wherever it is met, and is taken back. */
async function play(world: World, database: DatabaseCells, times: number, seed: number): Promise<void> {
  const chosen = dice(seed);
  const cells = await cellsOf(database);
  for (let index = 0; index < times; index += 1) {
    const alteration = drawAlteration(cells, chosen);
    for (const { cell, value } of alteration) await database.set(cell.table, cell.id, { [cell.column]: value });
    const rows = new Map(alteration.map(({ cell }) => [`${cell.table} ${cell.id}`, cell]));
    for (const { table, id } of rows.values()) {
      const row = (await database.rows(table)).find((each) => each['id'] === id) ?? expect.fail('the row is gone');
      const outcome = await SEALED[table]?.open(world, row).then(
        (opened) => `opened: ${JSON.stringify(opened)}`,
        (error: unknown) => String(error),
      );
      const told = JSON.stringify(alteration.map(({ cell, value }) => [cell.table, cell.id, cell.column, value]));
      expect(outcome, `alteration ${index} of seed ${seed}: ${told}`).toMatch(
        /^KalendsError: A stored secret cannot be opened: /,
      );
    }
    for (const { cell } of alteration) await database.set(cell.table, cell.id, { [cell.column]: cell.value });
  }
}

const SECRET = Buffer.alloc(32, 77).toString('base64');

async function localKeyring(): Promise<Keyring> {
  return createLocalKeyring(parseSecrets(SECRET), systemRandom);
}

async function keyringInVault(): Promise<Keyring> {
  const vault = await startVault();
  onTestFinished(() => vault.close());
  return vaultKeyring({ address: vault.address, token: await vault.tokenFor('kalends'), key: 'kalends' });
}

describe.each([
  ['sqlite', 'the local keyring', localKeyring, 7_000],
  ['postgres', 'the local keyring', localKeyring, 2_000],
  ['sqlite', 'a keyring in Vault', keyringInVault, 1_000],
] as const)('on %s, with %s', (storage, _name, open, times) => {
  it(`refuses ${times} swapped and altered values, each with a clear failure, and nothing else happens`, async () => {
    const path = await newDatabase(storage);
    const world = await openWorld(path, await open());
    const database = await openCells(path);
    onTestFinished(() => database.close());

    // The table above has every sealed column, by its name and by what it holds.
    const listed = Object.entries(SEALED).flatMap(([table, { columns }]) => columns.map((name) => `${table}.${name}`));
    const columns = await database.columns();
    const named = columns.filter(({ column }) => /wrapped|sealed|secret|cipher|encrypted/.test(column));
    const unsealed = ['kalends_provider_config.secret_expires_at', 'kalends_target.previous_secret_until'];
    const names = named.map(({ table, column }) => `${table}.${column}`).filter((name) => !unsealed.includes(name));
    expect(names.sort()).toEqual([...listed].sort());
    const holding = new Set<string>();
    for (const table of new Set(columns.map((column) => column.table))) {
      for (const row of await database.rows(table)) {
        for (const [column, value] of Object.entries(row)) {
          if (typeof value === 'string' && SEALED_FORM.test(value)) holding.add(`${table}.${column}`);
        }
      }
    }
    expect([...holding].sort()).toEqual([...listed].sort());

    const before = await sealedRows(database);
    const entries = (await database.rows('kalends_audit_entry')).length;
    await play(world, database, times, 1);

    // Every row opens again, none was changed, no account expired, and the audit log tells of reads alone.
    expect(await sealedRows(database)).toEqual(before);
    const statuses = (await database.rows('kalends_account')).map(({ status }) => status);
    expect(statuses).toEqual(Array(6).fill('ACTIVE'));
    expect(await database.rows('kalends_audit_entry')).toHaveLength(entries);
    for (const [table, { open: openRow }] of Object.entries(SEALED)) {
      for (const row of await database.rows(table)) await openRow(world, row);
    }
  }, 120_000);
});

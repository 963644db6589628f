import { DatabaseSync } from '@photostructure/sqlite';

const DAY = 86_400_000;

/** Puts accounts into a database file, a tenth of them expired; by one transaction, past the storage. */
export function fillAccounts(database: string, applicationId: string, count: number): void {
  const file = new DatabaseSync(database);
  const insert = file.prepare(
    `insert into kalends_account (id, application_id, provider_type, provider_config_id, provider_account_id, email, email_key,
      external_id, external_key, authorized_scopes, status, collections, created_at, updated_at)
     values (?, ?, ?, 'prv_1', null, ?, ?, ?, ?, '["openid","calendar"]', ?, 0, ?, ?)`,
  );
  file.exec('begin');
  const start = Date.now() - 300 * DAY;
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(6, '0');
    const isGoogle = index % 3 !== 0;
    const email = isGoogle ? `person.${number}@gmail.example` : `person.${number}@outlook.example`;
    const externalId = index % 7 === 0 ? null : `user-${number}`;
    insert.run(
      `acc_${number.padStart(22, '0')}`,
      applicationId,
      isGoogle ? 'PROVIDER_A' : 'PROVIDER_B',
      email,
      email,
      externalId,
      externalId,
      index % 10 === 0 ? 'EXPIRED' : 'ACTIVE',
      start + index * 60_000,
      start + index * 60_000,
    );
  }
  file.exec('commit');
  file.close();
}

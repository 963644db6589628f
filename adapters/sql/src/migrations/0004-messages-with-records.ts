import type { SqlDialect } from '../statements/dialect.ts';

/** Subscriptions whose messages have records. Without a value: as before. */
export function messagesWithRecords({ text }: SqlDialect['ddl']): readonly string[] {
  return [
    `alter table kalends_target add column detail ${text}`,
    `alter table kalends_target add column format ${text}`,
    `alter table kalends_message add column change ${text}`,
  ];
}

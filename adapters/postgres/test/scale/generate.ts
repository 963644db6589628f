import type pg from 'pg';

/** How much to generate. */
export interface Scale {
  readonly applications: number;
  readonly accounts: number;
  readonly eventsPerAccount: number;
  /** One account in this many has a subscription, and one in ten of those something that waits to be delivered. */
  readonly accountsPerSubscription: number;
}

/** The large database. @param share of its accounts */
export function largeScale(share: number): Scale {
  return {
    ...{ applications: 1_000, accounts: Math.round(100_000 * share) },
    ...{ eventsPerAccount: 50, accountsPerSubscription: 5 },
  };
}

/**
 * Fills an empty, migrated database as years of use would: every account with its calendar list and one calendar, whose
 * events lie over six years, a tenth in series with an exception, a tenth with an older version; one account in fifty
 * expired, one in ten due. Ids are spread like random ones.
 */
export async function generate(client: pg.Client, scale: Scale): Promise<void> {
  for (const [name, text] of statements(scale)) {
    await client.query(text).catch((cause: unknown) => {
      throw new Error(`generating ${name} failed`, { cause });
    });
  }
  await client.query('vacuum analyze');
}

/** Gives each account further calendars of some hundred events. */
export async function addSmallCalendars(client: pg.Client, count: number): Promise<void> {
  const calendars = `generate_series(10, ${count + 9}) k`;
  await client.query(`insert into kalends_collection (id, application_id, account_id, calendar_id, revision, tag, time_zone, at,
      completed_at, purged_below, cleaned_below, next_body, sweep_generation)
    select k, application_id, account_id, 'small' || k, revision, tag, time_zone, at, completed_at, purged_below, cleaned_below,
      next_body, sweep_generation from kalends_collection, ${calendars} where id = 1`);
  const versions = `account_id, collection_id, group_id, member, from_revision, to_revision, body, etag, mapping_version, range_start,
    range_end, write_count`;
  await client.query(`insert into kalends_item_version (${versions})
    select ${versions.replace('collection_id', 'k')} from kalends_item_version, ${calendars}
    where collection_id = 1 and member = '' and body <= 300 and to_revision = 9007199254740991`);
  await client.query('vacuum analyze');
}

const id = (prefix: string, number: string) => `'${prefix}_' || md5((${number})::text)`;

function statements({ applications, accounts, eventsPerAccount, accountsPerSubscription }: Scale) {
  const application = id('app', `n % ${applications}`);
  const account = id('acc', 'n');
  const everyAccount = `generate_series(1, ${accounts}) n`;
  const everyEvent = `${everyAccount}, generate_series(1, ${eventsPerAccount}) e`;
  const versions = `account_id, collection_id, group_id, member, from_revision, to_revision, body, etag, mapping_version, range_start, range_end, write_count`;
  const start = `1600000000000 + (e * 1.0 / ${eventsPerAccount} * 189216000000)::bigint`;
  return Object.entries({
    applications: `insert into kalends_application select ${id('app', 'n')}, 'Tenant ' || n, '[]', n, n
      from generate_series(0, ${applications - 1}) n`,
    accounts: `insert into kalends_account (id, application_id, provider_type, provider_config_id, provider_account_id, email,
        email_key, authorized_scopes, status, created_at, updated_at)
      select ${account}, ${application}, 'PROVIDER_A', 'prv', 'sub' || n, n || '@example.com', n || '@example.com', '[]',
        case when n % 50 = 0 then 'EXPIRED' else 'ACTIVE' end, n, n from ${everyAccount}`,
    credentials: `insert into kalends_credential select ${account}, 'crd_' || n, ${application}, 'oauth', 'k', repeat('a', 200),
      repeat('r', 200), null, 1, 'ACTIVE', 1, n, n from ${everyAccount}`,
    collections: `insert into kalends_collection (id, application_id, account_id, calendar_id, revision, tag, time_zone, at,
        completed_at, purged_below, cleaned_below, next_body, sweep_generation)
      select k, ${application}, ${account}, case k when 0 then '' else n || '@example.com' end, 20, 't', 'UTC', n,
        n, 0, 0, 9 * ${eventsPerAccount}, 0 from ${everyAccount}, generate_series(0, 1) k`,
    log: `insert into kalends_revision_log select ${account}, k, r, 1700000000000 + n + r, 't', 'UTC'
      from ${everyAccount}, generate_series(0, 1) k, generate_series(0, 20) r`,
    tokens: `insert into kalends_provider_token select ${account}, 1, 'token' from ${everyAccount}`,
    versions: `insert into kalends_item_version (${versions})
      select ${account}, 1, ${id('event', 'e')}, '', 1 + e % 19, 9007199254740991, e, md5(e::text), 1, ${start},
        case when e % 100 = 0 then null else ${start} + 3600000 end, 1 from ${everyEvent}`,
    exceptions: `insert into kalends_item_version (${versions})
      select ${account}, 1, ${id('event', 'e')}, ${id('event', 'e')} || '_1', 1 + e % 19, 9007199254740991,
        ${eventsPerAccount} + e, md5(e::text), 1, ${start}, ${start} + 3600000, 1 from ${everyEvent} where e % 10 = 0`,
    'older versions': `insert into kalends_item_version (${versions})
      select ${account}, 1, ${id('event', 'e')}, '', 0, 1 + e % 19, ${eventsPerAccount} * 3 + e, md5(e::text), 1, ${start},
        ${start} + 3600000, 1 from ${everyEvent} where e % 10 = 1`,
    bodies: `insert into kalends_item_body select account_id, collection_id, body,
        '{"title":"Event ' || body || '","description":"' || md5(group_id) || md5(etag) || '"}', null from kalends_item_version`,
    schedule: `insert into kalends_schedule (application_id, account_id, calendar_id, hint_seq, cleared_hint_seq, due_at, failures,
        is_active)
      select ${application}, ${account}, n || '@example.com', 1, 1, 1700000000000 + n * 1000, 0,
        case when n % 50 = 0 then 0 else 1 end from ${everyAccount}`,
    leases: `insert into kalends_lease select 'account:' || ${account}, 1, 1700000000000 + n from ${everyAccount}`,
    channels: `insert into kalends_channel select ${account}, 'chn_' || n, ${application}, n || '@example.com', 'PROVIDER_A', 'push',
      'p' || n, 'r', 'h', 'https://kalends.test', 1700000000000 + n, 1700000000000 + n, n from ${everyAccount} where n % 2 = 0`,
    targets: `insert into kalends_target (id, application_id, account_id, calendar_id, subscription_type, provider_type, url,
        wrapped_key, sealed_secret, created_at, updated_at)
      select 'whs_' || n, ${application}, ${account}, n || '@example.com', 'event', 'PROVIDER_A',
        'https://r' || n % ${applications} || '.example', 'k', 's', n, n
      from ${everyAccount} where n % ${accountsPerSubscription} = 0`,
    deliveries: `insert into kalends_delivery (target_id, application_id, host, due_at, next_send_at, spacing_ms, epoch, leased_until)
      select id, application_id, url, case when created_at % (${accountsPerSubscription} * 10) = 0 then created_at end, 0, 0,
        0, 0 from kalends_target`,
    messages: `insert into kalends_message (id, application_id, target_id, event_type, changed_at, attempts, state, place, retry_at,
        created_at)
      select 'msg_' || t.created_at || '_' || m, application_id, id, 'calendar.event.changed', 1, 1,
        case when m = 1 and t.created_at % (${accountsPerSubscription} * 10) = 0 then 'unattempted' else 'delivered' end,
        case when m = 1 and t.created_at % (${accountsPerSubscription} * 10) = 0 then m end, 0, t.created_at * 100 + m
      from kalends_target t, generate_series(1, 10) m`,
    attempts: `insert into kalends_attempt select target_id, created_at, 'att_' || id, application_id, id, event_type, 200, null, 1.5,
      '', 'delivered' from kalends_message`,
  });
}

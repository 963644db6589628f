import assert from 'node:assert/strict';
import type { CollectionKey, Storage } from 'kalends/ports';

const KEY: CollectionKey = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'work@example.com' };
const OPEN = 9_007_199_254_740_991;

/**
 * Statements that fill a database of migration 0001 with a row of each kind, as it was then. They never change: the next
 * migration has to carry these rows along.
 */
export const DATA_OF_0001: readonly string[] = [
  `insert into kalends_application (id, name, redirect_urls, created_at, updated_at, deleted_at)
    values ('app_1', 'Tenant', '["https://example.com/back"]', 1, 2, null)`,
  `insert into kalends_provider_config (id, application_id, provider_type, client_id, wrapped_key, sealed_client_secret,
    settings, scopes, secret_expires_at, created_at, updated_at)
    values ('prv_1', 'app_1', 'PROVIDER_A', 'client', 'k', 's', '{}', '["a"]', 9, 1, 2)`,
  `insert into kalends_api_key (id, application_id, name, hash, can_read_credentials, is_read_only, expires_at, revoked_at,
    last_used_at, created_at) values ('key_1', 'app_1', 'Key', 'hash', 1, 0, null, null, 5, 1)`,
  `insert into kalends_feed (id, application_id, name, detail, hash, created_at)
    values ('fed_1', 'app_1', 'Feed', 'busy', 'feed-hash', 1)`,
  `insert into kalends_used_state (state_hash, expires_at) values ('state', 5)`,
  `insert into kalends_audit_entry (id, at, application_id, actor_type, actor_id, address, action, target, changed)
    values ('aud_1', 1, 'app_1', 'key', 'key_1', '192.0.2.1', 'did', 'it', '["name"]')`,
  `insert into kalends_account (id, application_id, provider_type, provider_config_id, provider_account_id, email,
    email_key, external_id, external_key, authorized_scopes, status, collections, created_at, updated_at)
    values ('acc_1', 'app_1', 'PROVIDER_A', 'prv_1', 'sub_1', 'Ada@example.com', 'ada@example.com', null, null, '["a"]',
      'ACTIVE', 1, 1, 2)`,
  `insert into kalends_account (id, application_id, provider_type, provider_config_id, provider_account_id, email,
    email_key, external_id, external_key, authorized_scopes, status, collections, created_at, updated_at)
    values ('acc_2', 'app_1', 'CALDAV', null, 'https://dav.example/alice/', 'Alice@example.com', 'alice@example.com', null,
      null, '[]', 'EXPIRED', 0, 1, 2)`,
  `insert into kalends_credential (account_id, id, application_id, kind, wrapped_key, sealed_access_token,
    sealed_refresh_token, sealed_credentials, expires_at, status, version, created_at, updated_at)
    values ('acc_1', 'crd_1', 'app_1', 'oauth', 'k', 'a', 'r', null, 9, 'ACTIVE', 1, 1, 2),
      ('acc_2', 'crd_2', 'app_1', 'password', 'k', null, null, 'c', null, 'EXPIRED', 1, 1, 2)`,
  `insert into kalends_feed_calendar (account_id, calendar_id, feed_id, position)
    values ('acc_1', 'work@example.com', 'fed_1', 0)`,
  `insert into kalends_import (account_id, id, application_id, calendar_id, state, is_dry_run, frame, problems, error_code,
    created_at, finished_at, due_at) values ('acc_1', 'imp_1', 'app_1', 'work@example.com', 'applying', 0, '', '[]', null, 1,
      null, 5)`,
  `insert into kalends_import_item (account_id, import_id, uid_key, uid, components, is_too_long, event_id, failures,
    state, problems)
    values ('acc_1', 'imp_1', 'k1', 'a@example.com', 'BEGIN:VEVENT', 0, 'e1', 1, 'waiting', null)`,
  `insert into kalends_collection (account_id, calendar_id, id, application_id, revision, write_count, tag, time_zone, at,
    completed_at, purged_below, cleaned_below, next_body, sweep_generation, sweep_revision)
    values ('acc_1', 'work@example.com', 1, 'app_1', 2, 3, 't2', 'Europe/Berlin', 20, 10, 0, 0, 2, 1, null)`,
  `insert into kalends_revision_log (account_id, collection_id, revision, at, tag, time_zone)
    values ('acc_1', 1, 0, 1, 't0', 'UTC'), ('acc_1', 1, 1, 10, 't1', 'Europe/Berlin'),
      ('acc_1', 1, 2, 20, 't2', 'Europe/Berlin')`,
  `insert into kalends_item_version (account_id, collection_id, group_id, member, from_revision, to_revision, write_count,
    body, etag, provider_tag, mapping_version, range_start, range_end, busy)
    values ('acc_1', 1, 'e1', '', 1, 2, 1, 0, 'v1', 'p1', 1, 100, 200, null),
      ('acc_1', 1, 'e1', '', 2, ${OPEN}, 2, 1, 'v2', 'p2', 1, 100, 200, 'busy')`,
  `insert into kalends_item_body (account_id, collection_id, body, content, private_content)
    values ('acc_1', 1, 0, '"before"', null), ('acc_1', 1, 1, '"after"', '"own"')`,
  `insert into kalends_provider_token (account_id, collection_id, token) values ('acc_1', 1, 'resume')`,
  `insert into kalends_reread (account_id, collection_id, item_id, times) values ('acc_1', 1, 'e2', 1)`,
  `insert into kalends_seen_item (account_id, collection_id, generation, item_id) values ('acc_1', 1, 1, 'e1')`,
  `insert into kalends_schedule (account_id, calendar_id, application_id, hint_seq, cleared_hint_seq, synced_at,
    last_read_at, due_at, failures, error_code, error_at, repeats_left, is_active, not_before, missing_since)
    values ('acc_1', 'work@example.com', 'app_1', 4, 3, 20, 21, 30, 1, 'ProviderUnavailable', 22, 2, 1, 0, null)`,
  `insert into kalends_intent (account_id, id, application_id, calendar_id, collection_id, kind, state, group_ids,
    holds_new_items, data, idempotency_key, body_hash, created_at, epoch, leased_until, due_at, result, result_revision,
    kept_until) values ('acc_1', 'int_1', 'app_1', 'work@example.com', 1, 'update', 'open', '["e1"]', 0, '{"n":1}', 'key',
      'hash', 1, 2, 0, 5, null, null, null)`,
  `insert into kalends_hold (account_id, id, application_id, state, start_at, end_at, time_zone, taken_until, replaces, epoch,
    body_hash, event_id, created_at, kept_until)
    values ('acc_1', 'hld_1', 'app_1', 'booked', 10, 20, 'Europe/Berlin', 5, null, 1, 'hash', 'e1', 1, 30)`,
  `insert into kalends_hold_participant (account_id, hold_id, position, calendar_ids, start_at, end_at, taken_until)
    values ('acc_1', 'hld_1', 0, '["work@example.com"]', 10, 20, 5)`,
  `insert into kalends_held_group (account_id, collection_id, group_id, intent_id) values ('acc_1', 1, 'e1', 'int_1')`,
  `insert into kalends_channel (account_id, id, application_id, calendar_id, provider_type, kind, provider_channel_id,
    resource_id, token_hash, address, expires_at, renew_at, created_at)
    values ('acc_1', 'chn_1', 'app_1', 'work@example.com', 'PROVIDER_A', 'push', 'p', 'r', 'h', 'https://us', 9, 8, 1)`,
  `insert into kalends_target (id, application_id, account_id, calendar_id, subscription_type, provider_type, url,
    wrapped_key, sealed_secret, previous_sealed_secret, previous_secret_until, rate_limit, disabled_at, ended_at,
    failing_since, created_at, updated_at)
    values ('whs_1', 'app_1', 'acc_1', 'work@example.com', 'event', 'PROVIDER_A', 'https://r.example/hook', 'k', 's', null,
      null, 2.5, null, null, null, 1, 2)`,
  `insert into kalends_delivery (target_id, application_id, host, due_at, next_send_at, spacing_ms, epoch, leased_until)
    values ('whs_1', 'app_1', 'r.example', 30, 0, 400, 1, 0)`,
  `insert into kalends_message (seq, id, application_id, target_id, event_type, changed_at, data, attempts, state, place,
    retry_at, created_at)
    values (1, 'msg_1', 'app_1', 'whs_1', 'calendar.event.changed', 20, null, 0, 'unattempted', 1, 0, 25)`,
  `insert into kalends_attempt (target_id, at, id, application_id, message_id, event_type, status, failure, latency_ms,
    excerpt, outcome)
    values ('whs_1', 15, 'att_1', 'app_1', 'msg_0', 'calendar.event.changed', 200, null, 1.5, 'ok', 'delivered')`,
  `insert into kalends_lease (name, epoch, leased_until) values ('account:acc_1', 3, 5)`,
  `insert into kalends_call_budget (name, calls, at) values ('budget', 1.5, 5)`,
  `insert into kalends_call_day (name, day, calls) values ('day', 20000, 5)`,
  `insert into kalends_commit_mark (id, transactions, at) values ('mark', 7, 5)`,
  `insert into kalends_measurement (minute_at, name, provider, result, count, sum, max)
    values (60000, 'pulls', 'PROVIDER_A', 'ok', 2, 1.5, 1)`,
  `insert into kalends_fact (name, value) values ('zone-data', '2026a')`,
];

/** Asserts that an opened storage serves the rows of DATA_OF_0001. */
export async function checkDataOf0001(storage: Storage): Promise<void> {
  const { mirror, intents } = storage;
  assert.equal((await storage.accounts.find('app_1', 'acc_1'))?.email, 'Ada@example.com');
  const tokens = await storage.accounts.findCredential('app_1', 'acc_1');
  assert.ok(tokens?.kind === 'oauth' && tokens.id === 'crd_1' && tokens.sealedRefreshToken === 'r');
  const signIn = await storage.accounts.findCredential('app_1', 'acc_2');
  assert.ok(signIn?.kind === 'password' && signIn.sealedCredentials === 'c');
  const state = await mirror.find(KEY);
  assert.deepEqual([state?.revision, state?.writeCount, state?.tag], [2, 3, 't2']);
  assert.equal((await mirror.findItem(KEY, 'e1', 1))?.content, 'before');
  const [event] = await mirror.findItems(KEY, ['e1']);
  assert.deepEqual([event?.content, event?.privateContent], ['after', 'own']);
  assert.deepEqual(await mirror.listGroups(KEY, { asOf: 2, limit: 9, range: { from: 150, to: 160 } }), ['e1']);
  assert.equal((await mirror.findRevision(KEY, 1))?.tag, 't1');
  assert.equal(await mirror.findProviderToken(KEY), 'resume');
  assert.deepEqual(
    (await mirror.listRereads(KEY, 9)).map(({ itemId, times }) => [itemId, times]),
    [['e2', 1]],
  );
  const hold = await storage.holds.find('app_1', 'hld_1');
  assert.deepEqual(
    [hold?.state, hold?.writeTo, hold?.pool, hold?.participants[0]?.eventId],
    ['booked', 'organizer', null, 'e1'],
  );
  assert.equal((await storage.schedule.get(KEY)).hintSeq, 4);
  assert.deepEqual(
    (await storage.channels.list(KEY)).map(({ id }) => id),
    ['chn_1'],
  );
  const other = { id: 'f'.repeat(32), key: KEY, kind: 'update', groupIds: ['e1'], holdsNewItems: false } as const;
  const begun = await intents.begin({ ...other, data: null, idempotency: null, createdAt: 1 }, 1_000);
  assert.ok(begun.kind === 'group-held' && begun.by.id === 'int_1');
  assert.equal((await storage.subscriptions.find('app_1', 'acc_1', 'whs_1'))?.rateLimit, 2.5);
  const [attempt] = await storage.outbox.listAttempts('app_1', 'whs_1', { limit: 9 });
  assert.equal(attempt?.id, 'att_1');
  const [claimed] = (await storage.outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: 1_000 })).claims;
  assert.equal(claimed?.message.id, 'msg_1');
  assert.deepEqual(await storage.leases.claim('account:acc_1', 1_000), { epoch: 4 });
  assert.equal((await storage.health.inspect()).zoneData, '2026a');
  const measured = { at: 60_000, name: 'pulls', provider: 'PROVIDER_A', result: 'ok' };
  await storage.measurements.add([{ ...measured, count: 1, sum: 2, max: 2 }]);
  assert.deepEqual(await storage.measurements.list({ names: ['pulls'], from: 0, to: 120_000, stepMs: 60_000 }), [
    { ...measured, count: 3, sum: 3.5, max: 2 },
  ]);
  // New rows stand beside the old ones.
  const home = { ...KEY, calendarId: 'home@example.com' };
  await mirror.ensure(home, { at: 40, tag: 'h0', timeZone: 'UTC' });
  const write = { itemId: 'e9', groupId: 'e9', content: 'new', etag: 'n', providerTag: null, mappingVersion: 1 };
  const commit = { writes: [{ ...write, rangeStart: null, rangeEnd: null }], basedOn: 0, at: 41, tag: 'h1' };
  assert.deepEqual((await mirror.commit(home, commit)).changed, ['e9']);
  assert.deepEqual(await mirror.findItems(KEY, ['e9']), []);
  assert.equal(await storage.accounts.delete('app_1', 'acc_1'), true);
  assert.deepEqual(await mirror.findItems(KEY, ['e1']), []);
}

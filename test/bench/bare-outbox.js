// The outbox's work by hand: as a queue of one table, and on the outbox's own tables.

const CLAIM = 100;

/** Rows of values as text, with their values. */
export function rowsOf(driver, rows) {
  const values = [];
  const text = rows.map((row) => `(${row.map((value) => driver.place(values.push(value))).join(', ')})`).join(', ');
  return { text, values };
}

/** Behind a column: one of these. */
function among(driver, values) {
  return `in (${values.map((_, index) => driver.place(index + 1)).join(', ')})`;
}

/** One transaction after another, each of which acknowledges what that before it claimed, and claims more. */
async function inTurns(driver, { acknowledge, claim }) {
  let claimed = [];
  do {
    await driver.run(driver.begin);
    if (claimed.length > 0) await acknowledge(claimed);
    claimed = await claim();
    await driver.run('commit');
  } while (claimed.length > 0);
}

/** A queue of one table, as one would write it for a single receiver: no order by target, no rates, no fairness. */
export function drainQueue(driver) {
  const due = `select id from bare_message where state = 0 and due_at <= ${driver.place(1)} order by due_at
    limit ${CLAIM} ${driver.skipLocked}`;
  return inTurns(driver, {
    async acknowledge(claimed) {
      const attempts = rowsOf(
        driver,
        claimed.map(({ id, target_id }) => [`att-${id}`, target_id, id, 1, 200, 1.5, '']),
      );
      await driver.run(
        `insert into bare_attempt (id, target_id, message_id, at, status, latency_ms, excerpt)
        values ${attempts.text}`,
        attempts.values,
      );
      const ids = claimed.map(({ id }) => id);
      await driver.run(`update bare_message set state = 2 where id ${among(driver, ids)}`, ids);
    },
    claim: () =>
      driver.run(
        `update bare_message set state = 1, attempts = attempts + 1, leased_until = 9
        where id in (${due}) returning id, target_id, body`,
        [Date.now()],
      ),
  });
}

/** The same rows read and written as by the outbox, in its tables, but the first due comes first. */
export function drainOutbox(driver) {
  const { place } = driver;
  return inTurns(driver, {
    async acknowledge(claimed) {
      const attempts = rowsOf(
        driver,
        claimed.map(({ id, target_id, application_id, event_type }) => [
          ...[`bare-${id}`, application_id, target_id, id, event_type, 1, 200, null, 1.5, '', 'delivered'],
        ]),
      );
      await driver.run(
        `insert into kalends_attempt (id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms,
          excerpt, outcome) values ${attempts.text}`,
        attempts.values,
      );
      const ids = claimed.map(({ id }) => id);
      await driver.run(
        `update kalends_message set state = 'delivered', place = null where id ${among(driver, ids)}`,
        ids,
      );
      const targets = claimed.map(({ target_id }) => target_id);
      await driver.run(
        `update kalends_delivery set leased_until = 0, due_at = (
            select case when h.retry_at > kalends_delivery.next_send_at then h.retry_at else ceil(kalends_delivery.next_send_at) end
            from kalends_message h where h.target_id = kalends_delivery.target_id and h.place is not null order by h.place limit 1)
          where target_id ${among(driver, targets)}`,
        targets,
      );
    },
    async claim() {
      const now = Date.now();
      const leased = await driver.run(
        `update kalends_delivery set epoch = epoch + 1, leased_until = ${place(1)}, due_at = ${place(2)},
            next_send_at = ${place(3)} + spacing_ms
          where target_id in (select target_id from kalends_delivery where due_at <= ${place(4)} order by due_at
            limit ${CLAIM} ${driver.skipLocked}) returning target_id`,
        [now + 60_000, now + 60_000, now, now],
      );
      if (leased.length === 0) return [];
      const ids = leased.map(({ target_id }) => target_id);
      await driver.run(`select * from kalends_target where id ${among(driver, ids)}`, ids);
      const head =
        'select h.seq from kalends_message h where h.target_id = t.id and h.place is not null order by h.place limit 1';
      const set = "state = 'retrying', attempts = attempts + 1";
      return driver.run(
        driver.hasLateral
          ? `update kalends_message set ${set} from kalends_target t cross join lateral (${head}) as head
              where t.id ${among(driver, ids)} and kalends_message.seq = head.seq returning kalends_message.*`
          : `update kalends_message set ${set} where seq in (select (${head}) from kalends_target t where t.id ${among(driver, ids)})
              returning *`,
        ids,
      );
    },
  });
}

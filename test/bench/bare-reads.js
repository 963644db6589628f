// A bare PostgreSQL driver, and a table that has just what the bare drivers need to do the engine's reads.
import pg from 'pg';

/** Items of the large calendar that are in its second revision. */
export const CHANGES = 10;

export async function barePostgres(connectionString) {
  const pool = new pg.Pool({ connectionString });
  pg.types.setTypeParser(20, Number);
  const names = new Map();
  const run = async (text, values = []) => {
    if (!names.has(text)) names.set(text, `bare_${names.size}`);
    return (await pool.query({ name: names.get(text), text, values })).rows;
  };
  return { run, place: (n) => `$${n}`, close: () => pool.end() };
}

/** The answers of the engine as rows of a table that has just what these reads need. */
export async function fillBare({ run, place }, { engine, caller, account, primary, series, busy }) {
  await run(`create table bare_event (calendar text not null, id text not null, revision bigint not null,
    range_start bigint not null, range_end bigint not null, content text not null, primary key (calendar, id))`);
  await run('create index bare_event_start on bare_event (calendar, range_start)');
  await run('create index bare_event_revision on bare_event (calendar, revision)');
  const values = [1, 2, 3, 4, 5, 6].map(place).join(', ');
  await run('begin');
  for (const calendar of [primary, series, ...busy]) {
    let query = { pageSize: 1_000 };
    for (;;) {
      const page = await engine.events.list(caller, account.id, calendar, query);
      for (const [index, item] of page.data.entries()) {
        const revision = calendar === primary && index < CHANGES && !query.pageToken ? 2 : 1;
        const range = [Date.parse(item.start.dateTime), Date.parse(item.end.dateTime)];
        await run(`insert into bare_event values (${values})`, [
          calendar,
          item.id,
          revision,
          ...range,
          JSON.stringify(item),
        ]);
      }
      if (page.nextPageToken === undefined) break;
      query = { pageSize: 1_000, pageToken: page.nextPageToken };
    }
  }
  await run('commit');
  await run('analyze bare_event');
}

/** The JSON of a page that the bare driver reads, from behind an id. */
export async function readBarePage({ run, place }, calendar, after) {
  const [one, two] = [1, 2].map(place);
  const rows = await run(
    `select id, content from bare_event where calendar = ${one} and id > ${two} order by id limit 250`,
    [calendar, after],
  );
  return printBare(rows);
}

export const printBare = (rows) => JSON.stringify({ data: rows.map(({ content }) => JSON.parse(content)) });

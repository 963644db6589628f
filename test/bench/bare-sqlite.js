// The driver under @kalends/sqlite, from where that package has it.
import { createRequire } from 'node:module';

const requireOfStorage = createRequire(import.meta.resolve('@kalends/sqlite'));
const { DatabaseSync } = requireOfStorage('@photostructure/sqlite');

/** The bare driver, statements prepared once. */
export function bareSqlite(path, pragmas = []) {
  const database = new DatabaseSync(path);
  for (const pragma of pragmas) database.exec(`pragma ${pragma}`);
  const prepared = new Map();
  const run = async (text, values = []) => {
    if (!prepared.has(text)) prepared.set(text, database.prepare(text));
    const statement = prepared.get(text);
    if (statement.columns().length > 0) return statement.all(...values);
    statement.run(...values);
    return [];
  };
  return { run, place: () => '?', close: async () => database.close() };
}

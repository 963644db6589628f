export { type SqliteOptions, sqlite } from './sqlite.ts';

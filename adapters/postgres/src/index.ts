export { type PostgresOptions, type PostgresPool, postgres } from './postgres.ts';

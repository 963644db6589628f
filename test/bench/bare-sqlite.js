// The driver under @kalends/sqlite, from where that package has it.
import { createRequire } from 'node:module';

const requireOfStorage = createRequire(import.meta.resolve('@kalends/sqlite'));

export const { DatabaseSync } = requireOfStorage('@photostructure/sqlite');

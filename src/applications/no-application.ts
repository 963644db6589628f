import { KalendsError } from '../ports/index.ts';

/** The answer for an application that does not exist. */
export const noApplication = () => new KalendsError('NotFound', 'There is no such application.');

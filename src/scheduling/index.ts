export { createAvailabilityService } from './availability-service.ts';
export { coreQuery, withBuffers } from './core-query.ts';
export { errorAt } from './participant-busy.ts';
export { readSince } from './recorded-assignments.ts';
export { refuseAsRequest } from './refuse-as-request.ts';
export { searchInTurns } from './search-in-turns.ts';

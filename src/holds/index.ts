export { composeHolds } from './compose-holds.ts';
export { withHolds } from './with-holds.ts';

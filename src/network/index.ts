export { type AddressGuard, createAddressGuard } from './address-guard.ts';
export { BLOCKED_PORTS } from './blocked-ports.ts';
export { createGuardedConnector, isAddressRefused, type LookupAll, REFUSED_ADDRESS } from './guarded-connector.ts';
export { type ResolveHost, systemResolveHost } from './resolve-host.ts';
export { Agent, type Dispatcher } from './undici.ts';

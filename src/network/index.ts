export { type AddressGuard, createAddressGuard } from './address-guard.ts';
export { BLOCKED_PORTS } from './blocked-ports.ts';
export { createGuardedConnector, isAddressRefused, type LookupAll } from './guarded-connector.ts';
export { type ResolveHost, systemResolveHost } from './resolve-host.ts';

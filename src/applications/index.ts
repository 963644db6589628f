export { createApplicationService } from './application-service.ts';
export { createProviderClients, type ProviderClients } from './provider-clients.ts';

export { createApiKeyService } from './api-key-service.ts';
export { createApiKeyVerifier } from './api-key-verifier.ts';
export { createApplicationRemoval } from './application-removal.ts';
export { createApplicationService } from './application-service.ts';
export { noApplication } from './no-application.ts';
export { createOAuthClientService } from './oauth-client-service.ts';
export { createProviderClients, type ProviderClients } from './provider-clients.ts';

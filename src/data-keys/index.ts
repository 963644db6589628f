export { createDataKeyService } from './data-key-service.ts';
export { keepKeysCurrent } from './keep-keys-current.ts';
export { clientKeyOwner, credentialKeyOwner, targetKeyOwner } from './key-owner.ts';
export { createSecretCheck, reasonOf, type SecretCheck } from './secret-check.ts';

export { createDiagnosis } from './diagnosis.ts';
export { diagnoseStorage } from './storage-checks.ts';

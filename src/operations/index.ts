export { createOperationsService } from './operations-service.ts';

export { createAvailabilityService } from './availability-service.ts';

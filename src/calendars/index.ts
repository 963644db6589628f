export { createCalendarCreation } from './calendar-creation.ts';
export { createCalendarService } from './calendar-service.ts';

/** Returns the filter of lists for events modified at an instant or later. */
export const modifiedFrom = (at: number): string => `lastModifiedDateTime ge ${new Date(at).toISOString()}`;

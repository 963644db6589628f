/** Texts of the dialog that finds an account. */
export const accountPickerTexts = {
  search: 'E-mail or externalId',
  none: 'No account matches.',
};

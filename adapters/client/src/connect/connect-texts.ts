/** Texts of the connect element and of its results. */
export interface ConnectTexts {
  /** Name of the group of buttons, for screen readers. */
  readonly group: string;
  /** Text of one provider's button. */
  readonly button: (label: string) => string;
  /** Text of the button while the browser leaves for the provider. */
  readonly leaving: (label: string) => string;
  /** Shown after the return with an account. */
  readonly connected: string;
  /** Sentences by the code of an error: the reason, and what the person can do next. */
  readonly errors: Readonly<Record<string, string>>;
  /** Sentence for a code that `errors` does not have. */
  readonly unknownError: (code: string) => string;
}

/** The texts in English; a translation replaces any of them. */
export const CONNECT_TEXTS: ConnectTexts = {
  group: 'Connect your calendar',
  button: (label) => `Connect ${label} calendar`,
  leaving: (label) => `Opening ${label} …`,
  connected: 'Your calendar is connected.',
  errors: {
    access_denied: 'Access to the calendar was not granted. Connect again, and choose “Allow” at the end.',
    account_conflict:
      'This address already belongs to another connected account. Sign in with another mailbox, or ask support to remove the old account.',
    consent_required: 'The provider gave no lasting access. Connect again, and confirm each question.',
    insufficient_scope: 'Access to the calendars was left out. Connect again, and leave every box ticked.',
    interaction_required: 'The provider has a question first. Connect again, and answer it.',
    invalid_grant: 'The provider did not accept its own answer, often because it took too long. Connect again.',
    invalid_request: 'The link to connect is not valid. Ask the operator of this site to check it.',
    login_hint_mismatch: 'Another mailbox signed in than was expected. Connect again with the expected one.',
    login_required: 'You are not signed in at the provider. Connect again, and sign in.',
    server_error: 'The calendar could not be connected. Try again; if it fails again, tell the operator of this site.',
    state_mismatch:
      'This answer belongs to another tab, or was used already. If your calendar is not connected, connect it again here.',
    storage_blocked: 'This browser does not let the site store data, which connecting needs. Allow it, and try again.',
    temporarily_unavailable: 'The provider is not available at the moment. Try again in a few minutes.',
  },
  unknownError: (code) => `The calendar could not be connected (${code}). Try again.`,
};

/** Returns all texts, with those that are given in place of the English ones. */
export function connectTexts(texts: Partial<ConnectTexts> = {}): ConnectTexts {
  return { ...CONNECT_TEXTS, ...texts, errors: { ...CONNECT_TEXTS.errors, ...texts.errors } };
}

/** Returns the sentence for an error's code. */
export function connectErrorMessage(code: string, texts: ConnectTexts = CONNECT_TEXTS): string {
  return Object.hasOwn(texts.errors, code) ? (texts.errors[code] ?? '') : texts.unknownError(code);
}

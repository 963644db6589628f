export const firstSteps = {
  title: 'First steps',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  done: 'Done',
  open: 'Open',
  steps: {
    application: { title: 'Create an application', hint: 'It holds all that follows.' },
    client: {
      title: 'Set the OAuth client of a provider',
      hint: 'In its name your users give consent. The demo has the one of its sandbox.',
    },
    key: { title: 'Create an API key', hint: 'Your backend sends it with each request.' },
    account: {
      title: 'Connect the first account',
      hint: 'A person signs in at the provider, or you import a refresh token.',
    },
    webhook: { title: 'Create the first webhook', hint: 'It hears of every change, so that nothing has to be polled.' },
  },
};

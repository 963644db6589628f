export const applicationsTexts = {
  title: 'Applications',
  purpose: 'Each application is a tenant with accounts, keys and webhooks of its own.',
  create: 'New application',
  name: 'Name',
  nameHint: 'People see it in this dashboard alone.',
  redirectUrl: 'Redirect URL',
  redirectHint:
    'Where the browser returns after a sign-in. It must be equal to the one in the request, character by character.',
  submit: 'Create application',
  columns: {
    name: 'Name',
    id: 'Application id',
    redirectUrls: 'Redirect URLs',
    status: 'Status',
    createdAt: 'Created',
  },
  active: 'Active',
  deleting: 'Being deleted',
  empty: {
    title: 'Create your first application',
    hint: 'It holds the API keys of your backend, the OAuth clients of the providers, and the accounts of your users.',
  },
  count: (count: number) => (count === 1 ? '1 application' : `${count} applications`),
};

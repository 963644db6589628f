export const signInTexts = {
  title: 'Sign in',
  intro: 'The dashboard is for operators of this server.',
  token: 'Admin token',
  hint: 'The value of KALENDS_ADMIN_TOKEN. “npm start” prints a link that needs no token.',
  submit: 'Sign in',
  atHost: 'Sign in',
  byHost: 'You are not signed in at this site, or not as an operator.',
};

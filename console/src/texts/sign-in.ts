/** Texts of the page: sign in. */
export const SIGN_IN_TEXTS = {
  title: 'Sign in to the console',
  email: 'Email address',
  password: 'Password',
  action: 'Sign in',
  withProvider: 'Sign in with your identity provider',
  noAccount: 'No account yet? An administrator can invite you. Create the first user with',
  createCommand: 'npx pombo users create',
  useToken: 'Use a token',
  about: 'For scripts and for trying Pombo out. Create a token with',
  command: 'npx pombo token',
  storage: 'The token is kept in this browser until you close the tab.',
  token: 'Token or API key',
  show: 'Show as plain text',
  tokenAction: 'Use this token',
  noToken: 'This is not a valid token. Copy the whole token and try again.',
  refused: 'The gateway rejected this token. Use a token created on this gateway.',
  expired: 'This token has expired. Create a new one.',
  endings: {
    expired: 'Your token has expired. Sign in with a new one.',
    refused: 'The gateway no longer accepts your token. Sign in with a new one.',
    ended: 'Your session has ended. Sign in again.',
    foreignLink: 'Links with a token work only on the machine that the gateway runs on. Sign in, or paste the token.',
  },
  offer: {
    title: 'Use the token from the link?',
    about: (who: string, tenant: string): string =>
      `You are signed in as ${who}. Use the token from the link instead? It is for the tenant ${tenant}, and for this tab only.`,
    aboutUnknown: (tenant: string): string =>
      `The gateway did not answer whether you are signed in already. Use the token from the link? It is for the tenant ${tenant}, and for this tab only.`,
    action: 'Use the token',
    aToken: (tenant: string): string => `an API token of the tenant ${tenant}`,
  },
} as const

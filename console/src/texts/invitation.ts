/** Texts of the page: invitation. */
export const INVITATION_TEXTS = {
  title: 'Set your password',
  about: (email: string): string => `You have been invited to Pombo as ${email}.`,
  replaces: (who: string, email: string): string =>
    `You are signed in as ${who}. After this you are signed in as ${email}.`,
  email: 'Email address',
  password: 'New password',
  rules: 'At least 12 characters. Several words are easy to remember and hard to guess.',
  show: 'Show as plain text',
  action: 'Set password and sign in',
  missing: 'This link is incomplete. Open it again as you received it, or ask for a new one.',
  toSignIn: 'Go to the sign-in page',
} as const

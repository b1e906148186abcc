/** Texts of changing the password. */
export const PASSWORD_TEXTS = {
  title: 'Change your password',
  about: 'You will be signed out everywhere else.',
  current: 'Current password',
  next: 'New password',
  action: 'Change password',
  changed: 'Password changed.',
} as const

/** Texts of checking a one-time code. */
import { plural } from './plural.ts'

export const CHECK_CODE_TEXTS = {
  code: 'Code',
  codeHint: 'received code',
  check: 'Verify',
  left: (count: number): string => `${plural(count, 'attempt')} left`,
  results: {
    verified: 'Correct',
    invalid: 'Incorrect',
    already_verified: 'Already used',
    exhausted: 'No attempts left',
    expired: 'Expired',
    canceled: 'Canceled',
  },
} as const

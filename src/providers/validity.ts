/** The deadline of a message as a provider wants it, and what becomes of one that is past it. */

import type { Instant } from '../lib/time.ts'
import { forMessage } from './provider-errors.ts'

/** Whole seconds that are left; zero when it must not be sent any more. */
export const validityOf = (expiresAt: Instant, now: Instant): number =>
  Math.max(0, Math.floor((expiresAt - now) / 1000))

export const EXPIRED = forMessage('EXPIRED', 'the validity period ended before the message was sent')

/** How the console calls whoever is signed in. */
import type { Session } from '../api/session.ts'
import { SIGN_IN_TEXTS } from '../texts/sign-in.ts'

export const nameOf = ({ user, tenantId }: Session): string => user?.email ?? SIGN_IN_TEXTS.offer.aToken(tenantId)

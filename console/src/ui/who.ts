/** How the console calls whoever is signed in. */
import type { Session } from '../api/session.ts'
import { TEXTS } from '../texts.ts'

export const nameOf = ({ user, tenantId }: Session): string => user?.email ?? TEXTS.signIn.offer.aToken(tenantId)

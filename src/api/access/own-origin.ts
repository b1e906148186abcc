/** Whether a call comes from a page of ours, by the header that browsers add and scripts cannot change. */
import { refuse } from '../../flows/errors.ts'
import type { Presented } from '../http/auth.ts'

export type OriginCheck = (request: Pick<Presented, 'headers'>) => void

export type OriginOptions = Readonly<{ publicUrl?: string; isSecure: boolean }>

/** Throws a refusal for a call from a page of another site. Calls without the header are not from a page. */
export function originCheck({ publicUrl, isSecure }: OriginOptions): OriginCheck {
  const published = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  const scheme = isSecure ? 'https' : 'http'
  return ({ headers: { origin, host } }) => {
    if (origin === undefined || origin === published || origin === `${scheme}://${host}`) return
    throw refuse('FORBIDDEN', 'The call comes from a page of another site')
  }
}

/** Sending again past the limits: an operator may where a caller must wait. */
import { type Static, Type } from 'typebox'
import { allows, lacking } from './auth.ts'
import type { Caller } from './context.ts'

export const OverrideQuery = Type.Object(
  {
    override_limits: Type.Optional(
      Type.Boolean({
        description: 'Neither asks the limits nor counts for them. Needs a token with the scope `admin`.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Whether limits are to be overridden; refuses callers who may not. */
export function readOverride(caller: Caller, { override_limits = false }: Static<typeof OverrideQuery>): boolean {
  if (override_limits && !allows(caller, 'admin')) throw lacking(['admin'])
  return override_limits
}

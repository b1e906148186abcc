/** The users of the console. */
import type { components } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type User = components['schemas']['User']
export type Invited = components['schemas']['InvitedUser']
export type Role = components['schemas']['Role']

export const USERS = ['users'] as const

const ROLES: readonly Role[] = ['viewer', 'support', 'developer', 'admin', 'operator']

/** Only operators make operators. */
export const rolesFor = (mayOperate: boolean): readonly Role[] => (mayOperate ? ROLES : ROLES.slice(0, -1))

export const STATE_TONES: Readonly<Record<User['state'], Tone>> = { active: 'good', invited: 'info', disabled: 'quiet' }

/** The users of the console. */
import type { paths } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type User = paths['/v1/users']['get']['responses'][200]['content']['application/json']['items'][number]
export type Invited = paths['/v1/users']['post']['responses'][201]['content']['application/json']
export type Role = User['role']

export const USERS = ['users'] as const

const ROLES: readonly Role[] = ['viewer', 'support', 'developer', 'admin', 'operator']

/** Only operators make operators. */
export const rolesFor = (mayOperate: boolean): readonly Role[] => (mayOperate ? ROLES : ROLES.slice(0, -1))

export const STATE_TONES: Readonly<Record<User['state'], Tone>> = { active: 'good', invited: 'info', disabled: 'quiet' }

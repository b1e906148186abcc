/** The schemas of the users of the console. */
import { type Static, Type } from 'typebox'
import { USER_STATES, type User } from '../../domain/access/user.ts'
import { toIso } from '../../lib/time.ts'
import { Enums } from '../http/enums.ts'
import { isoOrNull, listOf, NO_CONTENT, namedObject, nullable, responses, Time } from '../http/schemas.ts'
import { audited } from './audit.ts'
import { Email } from './session-schemas.ts'

const USER_ID = '01945b3a-8c00-7a30-9d57-0b6f0a3c2e11'
const CLOSED = { additionalProperties: false }

const Name = Type.String({ description: '1 to 200 characters.', minLength: 1, maxLength: 200, examples: ['Ana Souza'] })
const RoleField = Enums.Role({
  description:
    '`viewer` sees messages without their content; `support` also opens content and resends; `developer` sees and sends; `admin` may do everything in the tenant; `operator` everything in the installation.',
  examples: ['developer'],
})

export const UserView = namedObject('User', {
  id: Type.String({ format: 'uuid', examples: [USER_ID] }),
  tenant_id: Type.String({ examples: ['acme'] }),
  email: Email,
  name: nullable(Name),
  role: RoleField,
  state: Type.Enum(['active', 'invited', 'disabled'], {
    title: 'UserState',
    description: 'Somebody who is `invited` has not set a password yet.',
  }),
  sign_in: Enums.SignInMethod(),
  invitation_expires_at: nullable(
    Type.Unsafe<string>({ ...Time, description: 'Until when an invitation can be accepted; null without one.' }),
  ),
  created_at: Time,
  updated_at: Time,
  last_sign_in_at: nullable(Time),
})
export type UserView = Static<typeof UserView>

export const toUserView = (user: User): UserView => ({
  id: user.id,
  tenant_id: user.tenantId,
  email: user.email,
  name: user.name ?? null,
  role: user.role,
  state: stateOf(user),
  sign_in: user.signIn.kind,
  invitation_expires_at: isoOrNull(user.invitation?.expiresAt),
  created_at: toIso(user.createdAt),
  updated_at: toIso(user.updatedAt),
  last_sign_in_at: isoOrNull(user.lastSignInAt),
})

/** For the audit log. */
export function toUserSnapshot(user: User) {
  const { tenant_id, role, state, sign_in } = toUserView(user)
  return { tenant_id, role, state, sign_in }
}

const stateOf = ({ state, signIn }: User): UserView['state'] =>
  state === 'active' && signIn.kind === 'password' && signIn.password === undefined ? 'invited' : state

const Invited = namedObject('InvitedUser', {
  user: UserView,
  invitation: namedObject('InvitationLink', {
    url: Type.String({
      description: 'Give this link to the person: it sets a password, once. It is shown only now.',
      examples: ['https://pombo.example/console/accept-invitation#invitation=01945b3a…'],
    }),
    expires_at: Time,
  }),
})
export type Invited = Static<typeof Invited>

const UserCreate = namedObject(
  'CreateUserRequest',
  { email: Email, name: Type.Optional(Name), role: RoleField },
  { ...CLOSED, examples: [{ email: 'ana@example.com', name: 'Ana Souza', role: 'developer' }] },
)

const UserUpdate = Type.Partial(
  Type.Object({
    name: nullable(Name),
    role: RoleField,
    state: Type.Enum(USER_STATES, {
      title: 'SettableUserState',
      description: 'Somebody who is `disabled` cannot sign in, and loses all sessions.',
    }),
  }),
  { title: 'UpdateUserRequest', ...CLOSED, minProperties: 1, examples: [{ role: 'admin' }] },
)

const tags = ['console users']
const params = Type.Object({
  id: Type.String({ title: 'UserId', description: 'The `id` of a user.', examples: [USER_ID] }),
})
const user = { description: 'The user.', schema: UserView }

export const LIST = {
  operationId: 'listUsers',
  tags,
  summary: 'List users',
  description: 'The people of your tenant who can sign in to the console, by email address.',
  response: responses({ 200: { description: 'The users.', schema: listOf(UserView) } }),
}

export const FIND = {
  operationId: 'getUser',
  tags,
  summary: 'Get a user',
  description: 'Of your tenant.',
  params,
  response: responses({ 200: user }, 'NOT_FOUND'),
}

export const ADD = {
  operationId: 'createUser',
  tags,
  summary: 'Invite a user',
  description:
    'Creates a user of your tenant who signs in with a password, and answers with the link to set it. Roles up to `admin` need the scope `admin`; `operator` needs `operator`.',
  body: UserCreate,
  response: responses(
    { 201: { description: 'The user and the invitation.', schema: Invited } },
    'VALIDATION_ERROR',
    'CONFLICT',
  ),
  ...audited('user.created'),
}

export const CHANGE = {
  operationId: 'changeUser',
  tags,
  summary: 'Update a user',
  description:
    'Changes the given fields; null removes the name. With another role, or disabled, the user loses all sessions within a second. The last operator who can sign in stays one. The role of somebody who signs in with the identity provider is changed there.',
  params,
  body: UserUpdate,
  response: responses({ 200: user }, 'VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
  ...audited('user.changed'),
}

export const REMOVE = {
  operationId: 'removeUser',
  tags,
  summary: 'Delete a user',
  description: 'All sessions end within a second. The last operator who can sign in cannot be deleted.',
  params,
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND', 'CONFLICT') },
  ...audited('user.removed'),
}

export const INVITE = {
  operationId: 'inviteUser',
  tags,
  summary: 'Invite a user again',
  description:
    'A new link to set a password, also for somebody who has lost it. Earlier links stop working; the password stays until it is replaced.',
  params,
  response: responses(
    { 200: { description: 'The user and the invitation.', schema: Invited } },
    'NOT_FOUND',
    'CONFLICT',
  ),
  ...audited('user.invited'),
}

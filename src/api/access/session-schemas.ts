/** The schemas of sessions: who is signed in, and how people sign in. */
import { type Static, Type } from 'typebox'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../domain/access/password.ts'
import { Enums } from '../http/enums.ts'
import { PROBLEM_TYPE } from '../http/problem.ts'
import { namedObject, nullable, Problem, publicResponses, responses, Time } from '../http/schemas.ts'
import { audited, sometimesAudited } from './audit.ts'

const CLOSED = { additionalProperties: false }
/** Longer than any password that is accepted, in any encoding. */
const MAX_TEXT = 512

export const Email = Type.String({ maxLength: 254, minLength: 1, examples: ['ana@example.com'] })
const Password = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT,
  description: 'The password.',
  examples: ['four words are easy'],
})
const NewPassword = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT,
  description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, and neither common nor with the email address in it.`,
  examples: ['four words are easy'],
})

export const SessionView = namedObject('Session', {
  signed_in: Type.Boolean(),
  actor: nullable(
    Type.Enum(['user', 'token', 'api_key'], {
      title: 'AuthenticatedBy',
      description: 'What the call was authenticated by.',
    }),
  ),
  user: nullable(
    namedObject('SessionUser', {
      id: Type.String({ format: 'uuid' }),
      email: Email,
      name: nullable(Type.String()),
      role: Enums.Role(),
      sign_in: Enums.SignInMethod(),
    }),
  ),
  tenant_id: nullable(Type.String({ description: 'The tenant in which the call happens.' })),
  account_id: nullable(Type.String()),
  scopes: Type.Array(Enums.Scope()),
  csrf_token: nullable(
    Type.String({
      description: 'Calls with a session that may change something must have it in the header `X-CSRF-Token`.',
    }),
  ),
  expires_at: nullable(Type.Unsafe<string>({ ...Time, description: 'When the session ends at the latest.' })),
  ways: namedObject(
    'SignInMethods',
    {
      password: Type.Boolean(),
      oidc: Type.Boolean({ description: 'Whether `GET /v1/session/oidc` leads to an identity provider.' }),
    },
    { description: 'How people can sign in.' },
  ),
})
export type SessionView = Static<typeof SessionView>

const tags = ['sessions']
const security: readonly [] = []
const signedIn = { description: 'Signed in. The cookie is set.', schema: SessionView }

export const GET_SESSION = {
  operationId: 'getSession',
  tags,
  security,
  summary: 'Get the session',
  description:
    'Who is calling, by whatever credentials, and how people can sign in. Without credentials, or with a session that has ended, `signed_in` is false.',
  response: publicResponses(
    { 200: { description: 'The session.', schema: SessionView } },
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'UNAVAILABLE',
  ),
}

export const SIGN_IN = {
  operationId: 'signIn',
  tags,
  security,
  summary: 'Sign in',
  description:
    'With email address and password, for the console. Sets a cookie; the session of an earlier cookie ends. After several failures for an address or from a client, further attempts have to wait.',
  body: namedObject('SignInRequest', { email: Email, password: Password }, CLOSED),
  response: publicResponses(
    { 200: signedIn },
    'VALIDATION_ERROR',
    'INVALID_CREDENTIALS',
    'FORBIDDEN',
    'CONFLICT',
    'TOO_MANY_ATTEMPTS',
    'UNAVAILABLE',
  ),
  ...audited('user.signed_in'),
  ...sometimesAudited('user.sign_in_failed'),
}

export const SIGN_OUT = {
  operationId: 'signOut',
  tags,
  security,
  summary: 'Sign out',
  description: 'Ends the session of the cookie. Without one, does nothing.',
  response: {
    204: { description: 'Signed out. The cookie is removed.', type: 'null' },
    ...publicResponses({}, 'FORBIDDEN', 'INVALID_CSRF_TOKEN', 'UNAVAILABLE'),
  },
  ...sometimesAudited('user.signed_out'),
}

export const CHANGE_PASSWORD = {
  operationId: 'changePassword',
  tags,
  summary: 'Change your password',
  description: 'For somebody who is signed in with a password. All sessions of the user end, and a new one begins.',
  body: namedObject('ChangePasswordRequest', { current_password: Password, new_password: NewPassword }, CLOSED),
  response: responses({ 200: signedIn }, 'VALIDATION_ERROR', 'CONFLICT', 'TOO_MANY_ATTEMPTS'),
  ...audited('user.password_changed'),
}

const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The token in the link, after `#invitation=`.',
  examples: ['the-token-in-the-link'],
})

export const GET_INVITATION = {
  operationId: 'getInvitation',
  tags,
  security,
  summary: 'Get an invitation',
  description: 'Whom a link invites, and until when. Does not use the invitation.',
  body: namedObject('GetInvitationRequest', { token: Token }, CLOSED),
  response: publicResponses(
    {
      200: {
        description: 'The invitation.',
        schema: namedObject('Invitation', { email: Email, name: nullable(Type.String()), expires_at: Time }),
      },
    },
    'VALIDATION_ERROR',
    'FORBIDDEN',
    'INVALID_INVITATION',
    'UNAVAILABLE',
  ),
}

export const ACCEPT_INVITATION = {
  operationId: 'acceptInvitation',
  tags,
  security,
  summary: 'Accept an invitation',
  description: 'Sets the password of the invited user and signs in. All earlier sessions of the user end.',
  body: namedObject('AcceptInvitationRequest', { token: Token, password: NewPassword }, CLOSED),
  response: publicResponses(
    { 200: signedIn },
    'VALIDATION_ERROR',
    'FORBIDDEN',
    'CONFLICT',
    'INVALID_INVITATION',
    'UNAVAILABLE',
  ),
  ...audited('user.invitation_accepted'),
}

const page = { description: 'Why the sign-in was refused.', schema: Type.String(), type: 'text/html' }

/** They answer a browser: none of their responses is 2xx. */
const ANY_OTHER = { default: { description: 'An error.', content: { [PROBLEM_TYPE]: { schema: Problem } } } }

export const START_OIDC = {
  operationId: 'startOidcSignIn',
  tags,
  security,
  summary: 'Sign in with the identity provider',
  description: 'Sends the browser to the OpenID Connect provider.',
  response: {
    303: { description: 'To the identity provider.', type: 'null' },
    ...ANY_OTHER,
    ...publicResponses({ 503: { ...page, description: 'The identity provider cannot be reached.' } }, 'NOT_FOUND'),
  },
}

export const FINISH_OIDC = {
  operationId: 'finishOidcSignIn',
  tags,
  security,
  summary: 'Return from the identity provider',
  description: 'The redirect URL of the authorization code flow. Creates the user or brings it up to date.',
  response: {
    303: { description: 'Signed in: to the console.', type: 'null' },
    ...ANY_OTHER,
    ...publicResponses(
      { 403: page, 503: { ...page, description: 'The identity provider cannot be reached.' } },
      'NOT_FOUND',
    ),
  },
  ...sometimesAudited('user.signed_in', 'user.created', 'user.changed'),
}

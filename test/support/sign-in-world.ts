/** An API with a user who can sign in with a password, and what a browser would send. */
import assert from 'node:assert/strict'
import { type CountingHasher, signInParts } from '../../src/api/access/sign-in.fixture.ts'
import type { SignInParts } from '../../src/api/access/sign-in-parts.ts'
import { openFixture } from '../../src/api/server.fixture.ts'
import type { User } from '../../src/domain/access/user.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { box, someUser } from '../../src/ports/users.contract.ts'
import { openMemoryEngine } from '../memory/memory.ts'

export const PASSWORD = 'four words are easy'
export const EMAIL = box('ana@example.com')

type Headers = Readonly<Record<string, string>>
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** `ana` has the password; `changes` and `wanted` change how she signs in, and what she is. */
export async function openSignInWorld(changes: Partial<SignInParts> = {}, wanted: Partial<User> = {}) {
  const { api, users, sessions, parts } = await openParts(changes)
  const ana = someUser({ email: EMAIL, signIn: { kind: 'password', password: `new ${PASSWORD}` }, ...wanted })
  await users.add(ana)

  const call = (method: Method, url: string, payload?: object, headers: Headers = {}) =>
    api.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
  const signIn = (email: string = EMAIL, password = PASSWORD, headers: Headers = {}) =>
    call('POST', '/v1/session', { email, password }, headers)

  return {
    ...{ api, users, sessions, parts, ana, call, signIn },
    /** How many passwords were verified. */
    verified: () => (parts.passwords as CountingHasher).verified(),
    /** The headers of somebody who has signed in. */
    async signedIn(email: string = EMAIL) {
      const answer = await signIn(email)
      assert.equal(answer.statusCode, 200, answer.body)
      return { cookie: cookieOf(answer), 'x-csrf-token': String(answer.json().csrf_token) }
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

/** How people sign in depends on the engine, which the fixture opens. */
async function openParts(changes: Partial<SignInParts>) {
  let opened: Readonly<{ engine: ReturnType<typeof openMemoryEngine>; parts: SignInParts }> | undefined
  const known = () => {
    if (opened === undefined) throw new Error('the engine is not open yet')
    return opened
  }
  const openEngine: typeof openMemoryEngine = (options) => {
    const engine = openMemoryEngine(options)
    opened = { engine, parts: { ...signInParts({ sessions: engine.sessions, clock: options.clock }), ...changes } }
    return engine
  }
  const overrides = {
    get signIn() {
      return known().parts
    },
  }
  const api = await openFixture({ openEngine, ids: openIds() }, overrides)
  const { engine, parts } = known()
  return { api, parts, users: engine.users, sessions: engine.sessions }
}

type Answered = Readonly<{ headers: Readonly<Record<string, unknown>> }>

export const setCookieOf = ({ headers }: Answered): string => String(headers['set-cookie'])
/** The cookie as the browser sends it back. */
export const cookieOf = (answer: Answered): string => setCookieOf(answer).split(';', 1).join()
export const codeOf = (answer: Readonly<{ statusCode: number; json: () => { error_code: string } }>) => [
  answer.statusCode,
  answer.json().error_code,
]

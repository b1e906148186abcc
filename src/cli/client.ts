/** The HTTP client of the commands: turns failures into a message and an exit code. */
import { type Config, loadConfig } from '../config/config.ts'
import { mintToken, readJwtSecret } from '../config/secrets.ts'
import { localUrl } from '../config/settings.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { failure, findInCauses, unavailable, usageError } from './exit.ts'
import { type Json, listIn, parseJson, textIn, toJson } from './json.ts'
import { toPlain } from './render.ts'
import type { World } from './world.ts'

export type Call = Readonly<{
  body?: Json
  query?: Query
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}>

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Client = Readonly<{
  /** The JSON body of a successful response. */
  call: (method: Method, path: string, call?: Call) => Promise<Json>
  /** A successful response with an unread body. */
  open: (method: Method, path: string, call?: Call) => Promise<Response>
}>

type ClientOptions = Readonly<{ url?: string; token?: string }>

/** Where the gateway is, and the credentials for one call to it. */
export type Target = Readonly<{ base: URL; token: () => Promise<string> }>

/** `local` is whom to sign a token for where there is none. */
export function toTarget(world: World, options: ClientOptions, local: LocalCaller = OPERATOR): Target {
  const config = loadConfig(world.env, world.readFile)
  return {
    base: toBase(options.url ?? config.url ?? configuredUrl(config)),
    token: async () => options.token ?? config.token ?? (await localToken(config, world, local)),
  }
}

export function toClient(world: World, options: ClientOptions): Client {
  const { base, token } = toTarget(world, options)

  async function open(method: string, path: string, call: Call = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${await token()}`,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    }
    const response = await request(world, base, path, { ...call, method, headers })
    if (response.ok) return response
    throw toError(response, toJson(parseJson(await response.text())))
  }

  return {
    open,
    async call(method, path, call) {
      const response = await open(method, path, call)
      const text = await response.text()
      const json = text === '' ? {} : parseJson(text)
      if (json === undefined) throw failure(`${base.origin} is not a Pombo gateway; check --url`)
      return toJson(json)
    },
  }
}

type RequestOptions = Call & Readonly<{ method: string; headers: Readonly<Record<string, string>> }>

/** Throws only if there is no answer. */
export async function request(world: World, base: URL, path: string, options: RequestOptions): Promise<Response> {
  const url = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base)
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  const { method, headers, body, signal } = options
  try {
    const json = body === undefined ? undefined : JSON.stringify(body)
    return await world.fetch(url, omitUndefined({ method, headers, body: json, signal }))
  } catch (error) {
    if (signal?.aborted === true) throw error
    const code = findInCauses(error, 'code') ?? 'no connection'
    throw unavailable(
      `no gateway at ${base.origin} (${code}); start one with \`pombo serve\`, or set another with --url or POMBO_URL`,
      error,
    )
  }
}

function toBase(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw usageError('--url must be a URL that starts with http:// or https://')
}

function configuredUrl(config: Config): string {
  if (config.port === 0) throw usageError('POMBO_PORT is 0, so the port of the gateway is not known; pass --url')
  return localUrl(config)
}

/** What the audit log calls tokens of the command line. */
export const CLI = 'cli'

type LocalCaller = Readonly<{ subject: string; scopes: readonly string[] }>
const OPERATOR: LocalCaller = { subject: CLI, scopes: ['operator'] }

const MINUTE_SECONDS = 60

/** Signed for every call, so that a command can run longer than a token is valid. */
async function localToken(config: Config, world: World, { subject, scopes }: LocalCaller): Promise<string> {
  const secret = readJwtSecret(config)
  if (secret === undefined) {
    throw failure(
      `no token: pass --token, set POMBO_TOKEN, or run this command where the gateway runs (${config.dataDir} has no secret)`,
    )
  }
  // Rounded to the minute: calls of one minute share a token, which the gateway has then cached.
  const minute = Math.floor(world.clock() / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS
  const { jwtIssuer: issuer, jwtAudience: audience } = config
  const who = { subject, tenantId: 'demo', accountId: 'default' }
  const claims = { ...who, scopes, expiresInSeconds: 10 * MINUTE_SECONDS, issuer, audience }
  return mintToken(secret, claims, minute)
}

/** Repeats the detail of the gateway, which names each wrong field. */
function toError({ status }: Response, problem: Json): Error {
  const reason = textIn(problem, 'detail') ?? textIn(problem, 'title') ?? 'no reason given'
  const hint = status === 401 ? '; create a token with `pombo token` where the gateway runs' : ''
  const message = `the gateway answered ${status}: ${toPlain(reason)}${hint}`
  return status === 503 ? unavailable(message) : failure(message)
}

const PAGE_SIZE = 200

export type Query = Readonly<Record<string, string | undefined>>

/** Reads up to `limit` items of a list, page by page. `onFirst` gets the first page. */
export async function* readPages(
  client: Client,
  path: string,
  query: Query,
  limit: number,
  { onFirst, ...call }: Pick<Call, 'headers'> & Readonly<{ onFirst?: (page: Json) => void }> = {},
): AsyncGenerator<Json> {
  let left = limit
  let cursor: string | undefined
  do {
    const page = await client.call('GET', path, {
      ...call,
      query: { ...query, limit: String(Math.min(left, PAGE_SIZE)), cursor },
    })
    if (cursor === undefined) onFirst?.(page)
    const items = listIn(page, 'items')
    yield* items.slice(0, left)
    left -= items.length
    cursor = textIn(page, 'next_cursor')
  } while (left > 0 && cursor !== undefined)
}

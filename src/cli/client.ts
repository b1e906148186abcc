/** Calls a gateway over HTTP on behalf of a command; what goes wrong becomes a sentence and an exit code. */
import { type Config, loadConfig } from '../config/config.ts'
import { localUrl } from '../config/local-url.ts'
import { mintToken, readJwtSecret } from '../config/secrets.ts'
import { failure, findInCauses, unavailable, usageError } from './exit.ts'
import { type Json, parseJson, textIn, toJson } from './json.ts'
import { toPlain } from './render.ts'
import type { World } from './world.ts'

export type Call = Readonly<{
  body?: Json
  query?: Readonly<Record<string, string | undefined>>
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}>

export type Client = Readonly<{
  /** The JSON of a good answer. */
  call: (method: 'GET' | 'POST', path: string, call?: Call) => Promise<Json>
  /** A good answer whose body is still to be read. */
  open: (method: 'GET' | 'POST', path: string, call?: Call) => Promise<Response>
}>

type Given = Readonly<{ url?: string; token?: string }>

export function toClient(world: World, given: Given): Client {
  const config = loadConfig(world.env, world.readFile)
  const base = toBase(given.url ?? config.url ?? here(config))

  async function open(method: string, path: string, call: Call = {}): Promise<Response> {
    const token = given.token ?? config.token ?? (await localToken(config, world))
    const headers = {
      authorization: `Bearer ${token}`,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    }
    const response = await reach(world, base, path, { ...call, method, headers })
    if (response.ok) return response
    throw toError(response, toJson(parseJson(await response.text())))
  }

  return {
    open,
    async call(method, path, call) {
      const response = await open(method, path, call)
      const text = await response.text()
      const json = text === '' ? {} : parseJson(text)
      if (json === undefined) throw failure(`${base.origin} does not answer like a Pombo gateway; check --url`)
      return toJson(json)
    },
  }
}

type Request = Call & Readonly<{ method: string; headers: Readonly<Record<string, string>> }>

async function reach(world: World, base: URL, path: string, request: Request): Promise<Response> {
  const url = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base)
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  const { method, headers, body, signal } = request
  try {
    return await world.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    const code = findInCauses(error, 'code') ?? 'no connection'
    throw unavailable(
      `no gateway answers at ${base.origin} (${code}); start one with \`pombo serve\`, or name another with --url or POMBO_URL`,
      error,
    )
  }
}

function toBase(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw usageError('--url must be an address that begins with http:// or https://')
}

function here(config: Config): string {
  if (config.port === 0) throw usageError('POMBO_PORT is 0, so only --url can say where the gateway listens')
  return localUrl(config)
}

const MINUTE_SECONDS = 60

/** Made anew for every call, so that a command may run for longer than its token lasts. */
async function localToken(config: Config, world: World): Promise<string> {
  const secret = readJwtSecret(config)
  if (secret === undefined) {
    throw failure(
      `there is no token: pass --token, set POMBO_TOKEN, or run this where the gateway does (${config.dataDir} has no secret: was it ever started here?)`,
    )
  }
  // Minutes rather than seconds: calls of one minute share a token, which the gateway then knows already.
  const minute = Math.floor(world.clock() / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS
  const claims = { tenantId: 'demo', accountId: 'default', scopes: ['admin'], expiresInSeconds: 10 * MINUTE_SECONDS }
  return mintToken(secret, { ...claims, issuer: config.jwtIssuer, audience: config.jwtAudience }, minute)
}

/** In the gateway's own words: they name each bad field. */
function toError({ status }: Response, problem: Json): Error {
  const said = textIn(problem, 'detail') ?? textIn(problem, 'title') ?? 'no reason given'
  const hint = status === 401 ? '; make a token with `pombo token` where the gateway runs' : ''
  const sentence = `the gateway answered ${status}: ${toPlain(said)}${hint}`
  return status === 503 ? unavailable(sentence) : failure(sentence)
}

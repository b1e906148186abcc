/** A gateway, API keys of it, and the official MCP client, which starts `pombo mcp` or calls it over HTTP. */
import { after } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { type Command, type Env, ROOT, startPombo } from '../support/command.ts'
import { QUICK } from '../support/routes.ts'
import { type SharedGateway, shareEmbedded } from '../support/shared-gateway.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'

/** Answers a question for confirmation. */
export type Answer = (asked: ElicitRequest['params']) => ElicitResult
export const YES: Answer = () => ({ action: 'accept', content: { confirm: true } })

/** What a tool returned: `text` is everything, `data` the structured part. */
export type Called = Readonly<{ isError: boolean; text: string; data: Record<string, unknown> }>

export type Connected = AsyncDisposable &
  Readonly<{ client: Client; call: (name: string, args?: Record<string, unknown>) => Promise<Called> }>

/** Without an answer, the client cannot ask anybody. */
export type ConnectOptions = Readonly<{ key: string; args?: readonly string[]; answer?: Answer }>

export type Site = Readonly<{
  gateway: SharedGateway
  keyFor: (
    scopes: readonly string[],
    more?: Readonly<{ mode?: 'test'; networks?: readonly string[] }>,
  ) => Promise<string>
  overStdio: (options: ConnectOptions) => Promise<Connected>
}>

export async function openSite(): Promise<Site> {
  const mail = { id: 'mail', channel: 'email', providers: ['simulator'] }
  // It believes the MCP server where its clients are.
  const env = { POMBO_TRUSTED_PROXIES: '127.0.0.1' }
  const gateway = await shareEmbedded({ config: { routes: [...QUICK.routes, mail] }, env })
  return {
    gateway,
    async keyFor(scopes, more = {}) {
      const body = { name: 'assistant', scopes, ...more }
      const answer = await gateway.call<Readonly<{ key: string }>>('POST', '/v1/api-keys', body)
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.key
    },
    overStdio: ({ key, args = [], answer }) =>
      connect(startStdio({ POMBO_URL: gateway.url, POMBO_TOKEN: key }, args), answer),
  }
}

export const startStdio = (env: Env, args: readonly string[] = []): StdioClientTransport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [`${ROOT}/src/main.ts`, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'ignore',
  })

export async function connect(transport: Transport, answer?: Answer): Promise<Connected> {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } }
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities })
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
  await client.connect(transport)
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args })
      const data = (result.structuredContent ?? {}) as Record<string, unknown>
      return { isError: result.isError === true, text: JSON.stringify(result), data }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

export type HttpSite = Readonly<{
  url: string
  command: Command
  connect: (key: string, answer?: Answer) => Promise<Connected>
}>

const BANNER = /^Pombo answers MCP clients on (\S+)$/m

export async function startHttp(gatewayUrl: string, args: readonly string[] = []): Promise<HttpSite> {
  const command = startPombo(['mcp', '--http', '--port', '0', ...args], { POMBO_URL: gatewayUrl })
  after(() => command.kill('SIGKILL'))
  const listening = () => {
    if (command.hasEnded()) throw new Error(command.err())
    return BANNER.exec(command.out()) ?? undefined
  }
  const [, url = ''] = await until('the MCP server to listen', listening, { withinMs: START_WITHIN_MS })
  return { url, command, connect: (key, answer) => connect(httpTransport(url, key), answer) }
}

export const httpTransport = (url: string, key: string, headers: Env = {}): Transport =>
  // Its `sessionId` may be undefined, which our exact optional types do not allow.
  new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  }) as Transport

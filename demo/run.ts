/** Runs the demo: a gateway, its tenants, the link to the console, and the traffic until it is stopped. */
import { openClient, type Tally } from './client.ts'
import { SHAKY } from './config.ts'
import { openGateway, type Write } from './gateway.ts'
import type { Options } from './options.ts'
import { MAIN_TENANT, OTHER_TENANTS } from './past-day.ts'
import { openReceiver } from './receiver.ts'
import { createEndpoints, createRoutes, setUpTenant } from './setup.ts'
import { type Clients, play } from './traffic.ts'
import { providersOf, toSummary, watch } from './watch.ts'

type Site = AsyncDisposable &
  Readonly<{ url: string; token: string; marketing?: string; others: readonly string[]; ended: Promise<unknown> }>

/** Rejects when the gateway does not start, ends early, or has real providers. */
export async function runDemo(options: Options, write: Write, signal: AbortSignal): Promise<Tally> {
  const say = (line: string): void => write(`${new Date().toTimeString().slice(0, 8)}  ${line}\n`)
  await using site = await openSite(options, write, signal)
  await using receiver = await openReceiver()
  const tally: Tally = { accepted: 0, refused: 0 }
  const clients = await openClients(site, tally, receiver.url)
  write(toWelcome(site))
  const lost = site.ended.then(() => {
    if (!signal.aborted) throw new Error('the gateway has ended')
  })
  const watched = watch(clients.main, say, { tally, received: receiver.received }, signal)
  await Promise.race([Promise.all([play(clients, say, { ...options, signal }), watched]), lost])
  say(toSummary(tally, receiver.received()))
  return tally
}

/** A new gateway, or an existing one. */
async function openSite(options: Options, write: Write, signal: AbortSignal): Promise<Site> {
  const { url, token } = options
  if (url !== undefined && token !== undefined) {
    return { url, token, others: [], ended: new Promise(() => undefined), [Symbol.asyncDispose]: async () => undefined }
  }
  const gateway = await openGateway(options, write, signal)
  return {
    url: gateway.url,
    token: await gateway.tokenFor(MAIN_TENANT, 'default'),
    marketing: await gateway.tokenFor(MAIN_TENANT, 'marketing'),
    others: await Promise.all(OTHER_TENANTS.map((tenant) => gateway.tokenFor(tenant, 'default'))),
    ended: gateway.ended,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

async function openClients(
  { url, token, marketing, others }: Site,
  tally: Tally,
  receiverUrl: string,
): Promise<Clients> {
  const open = (token: string) => openClient(url, token, tally)
  const main = open(token)
  const providers = await providersOf(main)
  const real = providers.filter(({ users }) => !users).map(({ name }) => name)
  // The numbers are unassigned, but a real provider would still charge for them.
  if (real.length > 0)
    throw new Error(`the demo requires a gateway with simulators only, and this one has ${real.join(', ')}`)
  const names = providers.map(({ name }) => name)
  const shaky = names.includes(SHAKY) ? SHAKY : (names.at(-1) ?? SHAKY)
  const otherClients = others.map(open)
  for (const client of [main, ...otherClients]) await setUpTenant(client)
  await createRoutes(main, names, shaky)
  await createEndpoints(main, receiverUrl)
  return { main, marketing: marketing === undefined ? undefined : open(marketing), others: otherClients, shaky }
}

function toWelcome({ url, token, others }: Site): string {
  const link = (token: string): string => `${url}/console/#token=${token}`
  const more = others.map((token, index) => `${OTHER_TENANTS[index]?.padEnd(9)} ${link(token)}\n`).join('')
  return `
Console   ${link(token)}
${more === '' ? '' : `\nConsoles of the other tenants:\n${more}`}
All data is fictitious. Press Ctrl-C to stop.

`
}

/** The whole demo: a gateway, who plays on it, the link to look at it, and the scene until it is told to stop. */
import { openClient, type Tally } from './client.ts'
import { beTold, furnish, layRoutes } from './furnish.ts'
import { openGateway } from './gateway.ts'
import type { Options } from './options.ts'
import { openReceiver } from './receiver.ts'
import { type Cast, play } from './scene.ts'
import { SHAKY } from './setting.ts'
import { providersOf, toSummary, watch } from './watch.ts'

const MAIN_TENANT = 'acme'
const OTHER_TENANTS = ['bluebird', 'harbour'] as const

type Place = AsyncDisposable &
  Readonly<{ url: string; token: string; marketing?: string; others: readonly string[]; ended: Promise<unknown> }>

/** Rejects when the gateway does not start, ends before us, or is not for playing. */
export async function runDemo(options: Options, write: (text: string) => void, signal: AbortSignal): Promise<Tally> {
  const say = (line: string): void => write(`${new Date().toTimeString().slice(0, 8)}  ${line}\n`)
  await using place = await openPlace(options)
  await using receiver = await openReceiver()
  const tally: Tally = { accepted: 0, refused: 0 }
  const cast = await castAt(place, tally, receiver.url)
  write(toWelcome(place))
  const gone = place.ended.then(() => {
    if (!signal.aborted) throw new Error('the gateway has ended')
  })
  const watched = watch(cast.main, say, { tally, told: receiver.told }, signal)
  await Promise.race([Promise.all([play(cast, say, { ...options, signal }), watched]), gone])
  say(toSummary(tally, receiver.told()))
  return tally
}

/** A gateway of our own, or the one that was named. */
async function openPlace(options: Options): Promise<Place> {
  const { url, token } = options
  if (url !== undefined && token !== undefined) {
    return { url, token, others: [], ended: new Promise(() => undefined), [Symbol.asyncDispose]: async () => undefined }
  }
  const gateway = await openGateway(options)
  return {
    url: gateway.url,
    token: await gateway.tokenFor(MAIN_TENANT, 'default'),
    marketing: await gateway.tokenFor(MAIN_TENANT, 'marketing'),
    others: await Promise.all(OTHER_TENANTS.map((tenant) => gateway.tokenFor(tenant, 'default'))),
    ended: gateway.ended,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

async function castAt({ url, token, marketing, others }: Place, tally: Tally, receiverUrl: string): Promise<Cast> {
  const open = (theirs: string) => openClient(url, theirs, tally)
  const main = open(token)
  const providers = await providersOf(main)
  const real = providers.filter(({ users }) => !users).map(({ name }) => name)
  // The numbers are nobody's, but a real provider would charge for them all the same.
  if (real.length > 0) throw new Error(`only for gateways with nothing but simulators, and there is ${real.join(', ')}`)
  const names = providers.map(({ name }) => name)
  const shaky = names.includes(SHAKY) ? SHAKY : (names.at(-1) ?? SHAKY)
  const clients = others.map(open)
  for (const client of [main, ...clients]) await furnish(client)
  await layRoutes(main, names, shaky)
  await beTold(main, receiverUrl)
  return { main, marketing: marketing === undefined ? undefined : open(marketing), others: clients, shaky }
}

function toWelcome({ url, token, others }: Place): string {
  const link = (theirs: string): string => `${url}/console/#token=${theirs}`
  const more = others.map((theirs, index) => `${OTHER_TENANTS[index]?.padEnd(9)} ${link(theirs)}\n`).join('')
  return `
Console   ${link(token)}
${more === '' ? '' : `\nOther tenants, each with a console of its own:\n${more}`}
Everything in it is invented. Ctrl-C ends it.

`
}

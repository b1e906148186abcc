/** How a message would be routed, and whether somebody would receive it. */
import type { paths } from '../../api/schema.gen.d.ts'

type Decision = paths['/v1/routes/resolve']['post']['responses']['200']['content']['application/json']

/** `waiting`: the route has providers, but none is available now. */
export type Routing =
  | Readonly<{ kind: 'routed' | 'waiting'; route: string; providers: readonly Candidate[]; isSimulated: boolean }>
  | Readonly<{ kind: 'none'; reasons: readonly Readonly<{ route: string; reason: string }>[] }>
  /** The session may not see routes. */
  | Readonly<{ kind: 'unknown' }>

/** In the order they are tried. */
export type Candidate = Readonly<{ name: string; isSimulator: boolean; isChosen: boolean; reason: string }>

/** Simulated only if no provider that the message may use delivers: it can also use those it falls back to. */
export function toRouting(decision: Decision, simulators: ReadonlySet<string>): Routing {
  const { route, provider, candidates, excluded } = decision
  if (route === null || candidates.length === 0)
    return { kind: 'none', reasons: excluded.map(({ id, reason }) => ({ route: id, reason })) }
  const providers = candidates.map((one) => ({
    name: one.provider,
    isSimulator: simulators.has(one.provider),
    isChosen: one.chosen,
    reason: one.reason,
  }))
  return {
    kind: provider === null ? 'waiting' : 'routed',
    route: route.id,
    providers,
    isSimulated: providers.every(({ isSimulator }) => isSimulator),
  }
}

/** The provider that takes it now, or would take it first. */
export const firstOf = (providers: readonly Candidate[]): Candidate | undefined =>
  providers.find(({ isChosen }) => isChosen) ?? providers[0]

const CALLING_CODE = /^\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/** `+1 ••• 0100`, `an•••@example.com`: enough to recognize it, also on a shared screen. */
export function toMasked(to: string): string {
  const at = to.lastIndexOf('@')
  if (at > 0) return `${to.slice(0, Math.min(2, at - 1))}•••${to.slice(at)}`
  const [code = ''] = CALLING_CODE.exec(to) ?? []
  return to.length - code.length <= 4 ? `${code} •••` : `${code} ••• ${to.slice(-4)}`
}

/** Routes know senders of email by their address: `Acme <hello@acme.example>`. */
export const toRouteSender = (sender: string): string => /<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender

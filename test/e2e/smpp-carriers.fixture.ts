/** SMSCs with different behaviour, and a configuration in which the sender id selects the SMSC. */
import { FakeSmsc, SMSC, type SmscOptions, type SmscSubmit } from '../support/fake-smsc.ts'
import { until, type WaitOptions } from '../support/until.ts'

/** For busy machines. */
export const PATIENT: WaitOptions = { withinMs: 60_000 }

type Manners = Readonly<{
  smsc?: SmscOptions
  /** Settings of its connector. */
  settings?: object
  /** Further fields of its route. */
  route?: object
}>

/** Automatic receipts are sent on the other session. */
const MANNERS = {
  /** Sends receipts only when the test asks for them, and has a long timeout. */
  plain: { settings: { response_seconds: 60 } },
  /** Sends every receipt twice, before the answer. */
  hasty: { smsc: { receiptDelayMs: 0, receiptsTwice: true, receiptsElsewhere: true } },
  hex: {
    smsc: { ids: 'hex', otherBase: true, receiptDelayMs: 20, receiptsElsewhere: true },
    settings: { message_ids: 'hex_then_decimal' },
  },
  decimal: {
    smsc: { ids: 'decimal', otherBase: true, receiptDelayMs: 20, receiptsElsewhere: true },
    settings: { message_ids: 'decimal_then_hex' },
  },
  /** Has a short timeout, and the default policy for unknown outcomes. */
  slow: { settings: { response_seconds: 3 }, route: { unknown: { wait_seconds: 0 } } },
  /** Stops and starts again. */
  fickle: { smsc: { receiptDelayMs: 20 }, route: { retry: { delays_seconds: [0.2], max_attempts: 100 } } },
} as const satisfies Readonly<Record<string, Manners>>

type Name = keyof typeof MANNERS
export type Carriers = Readonly<Record<Name, FakeSmsc>>
const NAMES = Object.keys(MANNERS) as Name[]
const all: Readonly<Record<Name, Manners>> = MANNERS

/** A message from this sender fails over from its carrier to the simulator. */
export const toElse = (name: Name): string => `${name}-else`

export async function openCarriers(opened: AsyncDisposableStack): Promise<Carriers> {
  const carriers = NAMES.map((name) => [name, new FakeSmsc(all[name].smsc ?? {})] as const)
  for (const [, smsc] of carriers) await opened.use(smsc).start()
  return Object.fromEntries(carriers) as Carriers
}

/** Passwords come from the environment, as in production. */
export const CARRIERS_ENV = { SMSC_PASSWORD: SMSC.password }

export function toConfig(carriers: Carriers, binds: number): object {
  const toProvider = (name: Name) => ({
    name,
    kind: 'smpp',
    settings: {
      host: '127.0.0.1',
      port: carriers[name].port,
      system_id: SMSC.system_id,
      password: '$' + '{SMSC_PASSWORD}',
      binds,
      ...all[name].settings,
    },
  })
  const toRoutes = (name: Name) => {
    const common = { channel: 'sms', retry: { delays_seconds: [0.1] }, ...all[name].route }
    return [
      { id: name, ...common, sender: name, providers: [name] },
      { id: toElse(name), ...common, sender: toElse(name), providers: [name, 'simulator'] },
    ]
  }
  return {
    providers: [...NAMES.map(toProvider), { name: 'simulator', kind: 'simulator' }],
    routes: NAMES.flatMap(toRoutes),
  }
}

/** Waits for both sessions with each SMSC. */
export const untilBound = (carriers: Carriers): Promise<true> =>
  until('every session to be up', () => Object.values(carriers).every(({ bound }) => bound === 2), PATIENT)

/** The messages an SMSC received for a recipient. */
export const submitsTo = (smsc: FakeSmsc, to: string): readonly SmscSubmit[] =>
  smsc.submits.filter(({ fields }) => `+${fields.destination_addr}` === to)

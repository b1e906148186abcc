/** SMSCs of different manners, and a configuration by which the sender of a message says which of them carries it. */
import { FakeSmsc, SMSC, type SmscOptions, type SmscSubmit } from '../support/fake-smsc.ts'
import { type Patience, until } from '../support/until.ts'

/** For machines that have much else to do. */
export const PATIENT: Patience = { withinMs: 60_000 }

type Manners = Readonly<{
  smsc?: SmscOptions
  /** What its connector has to know. */
  settings?: object
  /** What its route says beyond who carries. */
  route?: object
}>

/** Receipts come on the other session wherever they come by themselves. */
const MANNERS = {
  /** Sends no receipt unless it is told to, and is given time. */
  plain: { settings: { response_seconds: 60 } },
  /** The receipts are there before the answer, and twice. */
  hasty: { smsc: { receiptDelayMs: 0, receiptsTwice: true, receiptsElsewhere: true } },
  hex: {
    smsc: { ids: 'hex', otherBase: true, receiptDelayMs: 20, receiptsElsewhere: true },
    settings: { message_ids: 'hex_then_decimal' },
  },
  decimal: {
    smsc: { ids: 'decimal', otherBase: true, receiptDelayMs: 20, receiptsElsewhere: true },
    settings: { message_ids: 'decimal_then_hex' },
  },
  /** Is soon taken for one that does not answer. The policy for doubts is the default. */
  slow: { settings: { response_seconds: 3 }, route: { unknown: { wait_seconds: 0 } } },
  /** Goes away and comes back. */
  fickle: { smsc: { receiptDelayMs: 20 }, route: { retry: { delays_seconds: [0.2], max_attempts: 100 } } },
} as const satisfies Readonly<Record<string, Manners>>

type Name = keyof typeof MANNERS
export type Carriers = Readonly<Record<Name, FakeSmsc>>
const NAMES = Object.keys(MANNERS) as Name[]
const all: Readonly<Record<Name, Manners>> = MANNERS

/** A message from this sender is carried by the first that can of a carrier and the simulator. */
export const toElse = (name: Name): string => `${name}-else`

export async function openCarriers(opened: AsyncDisposableStack): Promise<Carriers> {
  const carriers = NAMES.map((name) => [name, new FakeSmsc(all[name].smsc ?? {})] as const)
  for (const [, smsc] of carriers) await opened.use(smsc).start()
  return Object.fromEntries(carriers) as Carriers
}

/** Passwords are in the environment, as they should be. */
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

/** Both sessions with each of them. */
export const untilBound = (carriers: Carriers): Promise<true> =>
  until('every session to be up', () => Object.values(carriers).every(({ bound }) => bound === 2), PATIENT)

/** What an SMSC was given for a recipient. */
export const submitsTo = (smsc: FakeSmsc, to: string): readonly SmscSubmit[] =>
  smsc.submits.filter(({ fields }) => `+${fields.destination_addr}` === to)

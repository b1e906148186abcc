/** What `--against` compares of the embedded profile. */
import { measureAccept, measureBatch } from './accept.ts'
import { type Compared, toTaken } from './against.ts'
import type { Taken } from './against-report.ts'
import { measureBacklog } from './backlog.ts'
import { measureSent } from './email-relay.ts'
import { measureEndToEnd } from './end-to-end.ts'
import type { Options, Part } from './options.ts'
import { measureDistant } from './provider-slots.ts'
import { measureSmpp } from './smpp.ts'

const TARGET = { endToEnd: 2.3, providers: 2 }

/** The search for the pace starts near these; it reaches from a fifth to twice as much. */
const SOME_MAILS = 1_000
const SOME_SMS = 3_000
const IN_FLIGHT = 512

const COMPARED: readonly (Compared & Readonly<{ part: Part }>)[] = [
  {
    part: 'b',
    name: '(b) durable 202',
    async take(options) {
      const measured = await measureAccept(options)
      return toTaken(measured, { 'messages/s': measured.messagesPerSecond })
    },
  },
  {
    part: 'c',
    name: '(c) end to end, receipts after 150 ms',
    target: TARGET.endToEnd,
    take: (options) => takeEndToEnd(options, 'soon'),
  },
  {
    part: 'c',
    name: '(c) end to end, receipts after 3 s',
    target: TARGET.endToEnd,
    take: (options) => takeEndToEnd(options, 'late'),
  },
  {
    part: 'd',
    name: '(d) batches of 1,000',
    async take(options) {
      const measured = await measureBatch({ ...options, seconds: options.seconds / 2 })
      return toTaken(measured, { 'messages/s': measured.messagesPerSecond })
    },
  },
  {
    part: 'f',
    name: '(f) a long queue',
    async take(options) {
      const { rssMb, peakRssMb, long } = await measureBacklog(options)
      const drained = long.waiting / long.seconds
      return { figures: { 'drained/s': drained, 'MB with all waiting': rssMb, 'MB at most': peakRssMb } }
    },
  },
  {
    part: 'i',
    name: `(i1) 50 ms per call, ${IN_FLIGHT} in flight`,
    target: TARGET.providers,
    async take(options) {
      const { sent } = await measureDistant(IN_FLIGHT, options, SOME_SMS)
      return toTaken(sent, { 'messages/s': sent.handedOffPerSecond })
    },
  },
  {
    part: 'j',
    name: '(j) end to end by SMPP',
    target: TARGET.providers,
    async take(options) {
      const { held } = await measureSmpp(options)
      return toTaken(held, { 'messages/s': held.endToEndPerSecond }, 'SMSC')
    },
  },
  {
    part: 'k',
    name: '(k1) mails end to end',
    async take(options) {
      const held = await measureSent(SOME_MAILS, options)
      return toTaken(held, { 'messages/s': held.endToEndPerSecond }, 'sink')
    },
  },
]

async function takeEndToEnd(options: Options, receipts: 'soon' | 'late'): Promise<Taken> {
  const { held } = await measureEndToEnd(options, receipts)
  return toTaken(held, { 'messages/s': held.endToEndPerSecond, 'MB at the end': held.rssMb })
}

export const comparedOf = ({ parts }: Options): readonly Compared[] => COMPARED.filter(({ part }) => parts.has(part))

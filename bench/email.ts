/** (k): email. The rate compared with nodemailer alone, and how the largest emails affect accepting SMS. */
import { measureTogether, type Together } from './email-beside.ts'
import { type Alone, measureAlone, measureSent } from './email-relay.ts'
import type { Options } from './options.ts'
import { formatBeside, step } from './step.ts'
import type { Stretch } from './stretch.ts'
import { whole } from './verdict.ts'

export type Email = Together &
  Readonly<{
    /** Alternating. */
    nodemailer: readonly Alone[]
    sent: readonly Stretch[]
  }>

/** The first pace when nodemailer alone was not measured. */
const SOME_RATE = 1_000
/** As in (e). */
const SHARE_OF_ACCEPT = 1 / 2

/** `acceptRate` is the result of (b). */
export async function measureEmail(options: Options, acceptRate: number | undefined): Promise<Email> {
  const [nodemailer, sent]: [Alone[], Stretch[]] = [[], []]
  for (let run = 1; run <= options.runs; run += 1) {
    nodemailer.push(...(await step(`(k1) nodemailer alone, run ${run}`, () => measureAlone(options), formatAlone)))
    const send = () => measureSent(nodemailer.at(-1)?.perSecond ?? SOME_RATE, options)
    sent.push(...(await step(`(k1) mails end to end, run ${run}`, send, formatSent)))
  }
  const [together = { alone: [], beside: [] }] =
    acceptRate === undefined
      ? []
      : await step(
          '(k2) SMS beside large mails',
          () => measureTogether(acceptRate * SHARE_OF_ACCEPT, options),
          formatBeside,
        )
  return { nodemailer, sent, ...together }
}

const formatAlone = ({ perSecond }: Alone): string => `${whole(perSecond)}/s`
const formatSent = ({ endToEndPerSecond, sustained }: Stretch): string =>
  `${whole(endToEndPerSecond)}/s${sustained ? '' : ', with a growing backlog'}`

/** The results in the chart, and their targets. */
import { type Bar, drawBars, times, toBar } from './bars.ts'
import { medianAlone, medianSent } from './email-verdicts.ts'
import { PEER_NAMES, PEERS } from './peers/peer.ts'
import type { Results } from './results.ts'
import { rateIn } from './rounds.ts'
import { TARGET } from './targets.ts'

export const toChart = (results: Results): string => drawBars(results.machine, toBars(results))

function toBars({ rounds, acceptAlone, email }: Results): readonly Bar[] {
  const nodemailer = email && medianAlone(email)?.perSecond
  const [bare, accept] = [rateIn(rounds, 'bare'), rateIn(rounds, 'accept')]
  return [
    ...toBar('(a) bare Fastify', 'bare', bare),
    ...toBar('(b) durable 202', 'ours', accept, times(bare, TARGET.accept)),
    ...toBar('(b2) nothing sent', 'ours', acceptAlone?.messagesPerSecond),
    ...toBar('(c) end to end', 'ours', rateIn(rounds, 'endToEnd'), times(bare, TARGET.endToEnd)),
    ...toBar('(c) receipts after 3 s', 'ours', rateIn(rounds, 'endToEndLate'), times(bare, TARGET.endToEnd)),
    ...PEER_NAMES.flatMap((name) => toBar(`${PEERS[name].name}, end to end`, 'peer', rateIn(rounds, name))),
    ...toBar('(d) in batches', 'ours', rateIn(rounds, 'batch'), times(bare, TARGET.batch)),
    ...toBar('(g) under limits', 'ours', rateIn(rounds, 'limited'), times(accept, TARGET.limited)),
    ...toBar('(k1) nodemailer alone', 'bare', nodemailer),
    ...toBar('(k1) mails', 'ours', email && medianSent(email)?.endToEndPerSecond, times(nodemailer, TARGET.mails)),
  ]
}

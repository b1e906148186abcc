/** The results in the chart, and their targets. */
import { type Bar, drawBars, times, toBar } from './bars.ts'
import { MAILS_TARGET, medianAlone, medianSent } from './email-verdicts.ts'
import { LIMITED_TARGET, type Results, rateOf } from './results.ts'

export const toChart = (results: Results): string => drawBars(results.machine, toBars(results))

function toBars(results: Results): readonly Bar[] {
  const { bare, accept, acceptAlone, endToEnd, batch, limits, email, peers = [] } = results
  const nodemailer = email && medianAlone(email)?.perSecond
  const [bareRate, acceptRate] = [rateOf(bare), rateOf(accept)]
  return [
    ...toBar('(a) bare Fastify', 'bare', bareRate),
    ...toBar('(b) durable 202', 'ours', acceptRate, times(bareRate, 0.6)),
    ...toBar('(b2) nothing sent', 'ours', acceptAlone?.messagesPerSecond),
    ...toBar('(c) end to end', 'ours', endToEnd?.held.endToEndPerSecond, times(bareRate, 0.45)),
    ...toBar('(d) in batches', 'ours', rateOf(batch), times(acceptRate, 2)),
    ...toBar('(g) under limits', 'ours', rateOf(limits?.limited), times(acceptRate, LIMITED_TARGET)),
    ...toBar('(k1) nodemailer alone', 'bare', nodemailer),
    ...toBar('(k1) mails', 'ours', email && medianSent(email)?.endToEndPerSecond, times(nodemailer, MAILS_TARGET)),
    ...peers.flatMap(({ name, load, endToEndPerSecond }) => [
      ...toBar(`${name}: accept`, 'peer', load.perSecond),
      ...toBar(`${name}: end to end`, 'peer', endToEndPerSecond),
    ]),
  ]
}

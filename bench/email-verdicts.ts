/** The results of (k) compared with the targets. */
import type { Email } from './email.ts'
import type { BesideMails } from './email-beside.ts'
import { HTML_KB, LARGE_HTML_KB } from './email-mails.ts'
import type { Alone } from './email-relay.ts'
import { medianBy } from './measure.ts'
import type { Stretch } from './stretch.ts'
import { TARGET } from './targets.ts'
import { backlogVerdict, besideVerdicts, share, type Verdict, whole } from './verdict.ts'

export const medianAlone = ({ nodemailer }: Email): Alone | undefined =>
  nodemailer.length === 0 ? undefined : medianBy(nodemailer, ({ perSecond }) => perSecond)

export const medianSent = ({ sent }: Email): Stretch | undefined =>
  sent.length === 0 ? undefined : medianBy(sent, ({ endToEndPerSecond }) => endToEndPerSecond)

export function emailVerdicts(email: Email): readonly Verdict[] {
  const [alone, held] = [medianAlone(email)?.perSecond, medianSent(email)]
  const [part, html] = ['k1', `html of ${HTML_KB} KB`]
  return [
    ...(alone === undefined ? [] : [{ part, what: `nodemailer alone, ${html}`, measured: `${whole(alone)}/s` }]),
    ...(held === undefined
      ? []
      : [
          {
            part,
            what: `mails end to end, ${html}`,
            ...share(held.endToEndPerSecond, alone, 'nodemailer alone', TARGET.mails),
          },
          backlogVerdict(part, held),
        ]),
    ...besideVerdicts('k2', email, formatMails, TARGET.beside),
  ]
}

const formatMails = ({ mails }: BesideMails): string => `${whole(mails.perSecond)} mails/s, html of ${LARGE_HTML_KB} KB`

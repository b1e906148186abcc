/** A fake mail server, a fake SES, and a gateway that routes between them by the recipient's domain. */
import { after } from 'node:test'
import { type FakeSes, openFakeSes, SES } from '../support/fake-ses.ts'
import { openSmtpSink, type SmtpSink } from '../support/smtp-sink.ts'
import type { WaitOptions } from '../support/until.ts'
import type { ShareSite, Site } from './smpp-site.fixture.ts'

/** For busy machines. */
export const PATIENT: WaitOptions = { withinMs: 60_000 }

export type EmailSite = Readonly<{ site: Site; sink: SmtpSink; ses: FakeSes }>

export const BOUNCE_SECRET = 'only-the-postmaster-knows'
/** All other domains are routed to the mail server only. */
export const BY_SES = 'amazon.example'
export const BY_BOTH = 'spare.example'

/** The concurrent calls of each process: at most this many mails have an unknown outcome after a kill. */
export const AT_ONCE = 16

/** Secrets come from the environment, as in production. */
const ENV = {
  BOUNCE_SECRET,
  AWS_SECRET: SES.secret_access_key,
  POMBO_CONCURRENCY: String(AT_ONCE),
  POMBO_OTP_COST: '4',
  POMBO_BREAKER_SECONDS: '1',
  // The attempts of a killed process are recovered after twice this time.
  POMBO_PROVIDER_TIMEOUT_SECONDS: '5',
  // Verbose logs, to be searched for secrets.
  POMBO_LOG_LEVEL: 'debug',
}

export async function shareEmailSite(share: ShareSite): Promise<EmailSite> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const sink = opened.use(await openSmtpSink())
  const ses = opened.use(await openFakeSes())
  return { sink, ses, site: await share({ config: () => toConfig(sink, ses), env: ENV }) }
}

const inBraces = (name: string): string => `\${${name}}`

function toConfig(sink: SmtpSink, ses: FakeSes): object {
  const byMail = { channel: 'email', retry: { delays_seconds: [0.1], max_attempts: 2 }, unknown: { wait_seconds: 0 } }
  const { from } = SES
  const server = { host: '127.0.0.1', port: sink.port, from, bounce_secret: inBraces('BOUNCE_SECRET') }
  const amazon = { ...SES, secret_access_key: inBraces('AWS_SECRET'), endpoint: ses.url, max_per_second: 1_000 }
  return {
    providers: [
      { name: 'post', kind: 'smtp', settings: server },
      { name: 'amazon', kind: 'ses', settings: amazon },
      { name: 'simulator', kind: 'simulator' },
    ],
    routes: [
      { id: 'by-post', ...byMail, providers: ['post'] },
      { id: 'by-amazon', ...byMail, prefix: BY_SES, providers: ['amazon'] },
      { id: 'by-both', ...byMail, prefix: BY_BOTH, providers: ['amazon', 'post'] },
      { id: 'sms', channel: 'sms', providers: ['simulator'] },
    ],
  }
}

/** A mail server and an SES, both fakes, and a gateway that goes by the recipient's domain to one, the other or both. */
import { after } from 'node:test'
import { type FakeSes, openFakeSes, SES } from '../support/fake-ses.ts'
import { openSmtpSink, type SmtpSink } from '../support/smtp-sink.ts'
import type { Patience } from '../support/until.ts'
import type { ShareSite, Site } from './smpp-site.fixture.ts'

/** For machines that have much else to do. */
export const PATIENT: Patience = { withinMs: 60_000 }

export type EmailSite = Readonly<{ site: Site; sink: SmtpSink; ses: FakeSes }>

export const BOUNCE_SECRET = 'only-the-postmaster-knows'
/** Any other domain is the mail server's alone. */
export const BY_SES = 'amazon.example'
export const BY_BOTH = 'spare.example'

/** How many calls each process makes at once: so many mails may be with an unknown outcome when it is killed. */
export const AT_ONCE = 16

/** Secrets are in the environment, as they should be. */
const ENV = {
  BOUNCE_SECRET,
  AWS_SECRET: SES.secret_access_key,
  POMBO_CONCURRENCY: String(AT_ONCE),
  POMBO_OTP_COST: '4',
  POMBO_BREAKER_SECONDS: '1',
  // A process that was killed is taken for dead after twice as long.
  POMBO_PROVIDER_TIMEOUT_SECONDS: '5',
  // So that much is said that could give something away.
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

/** Amazon SES, which has no lookup, and SNS, which reports under our own references. */
import { openSes } from '../../src/providers/ses/ses.ts'
import { deliveryOf, openFakeSes, refusal, SES } from '../support/fake-ses.ts'
import { CERTIFICATE_URL, fakeSns, TOPIC } from '../support/sns.ts'
import type { Case } from './provider-cases.ts'
import { A_MAIL, type ExternalProvider } from './provider-external.ts'
import { CONTEXT, openHttpProvider } from './provider-http.ts'

/** One SNS for all cases, since generating keys is slow. */
export async function openSharedSns() {
  const sns = fakeSns()
  const get = async (url: string) => (url === CERTIFICATE_URL ? sns.certificate : undefined)
  const settings = { ...SES, topics: [TOPIC], max_per_second: 10_000 }
  return {
    async openCase({ behaviour }: Case): Promise<ExternalProvider> {
      const fake = await openFakeSes()
      return openHttpProvider(behaviour, {
        content: A_MAIL,
        fake,
        answers: {
          'rejects it': refusal(400, 'MessageRejected'),
          'rejects us': refusal(400, 'MailFromDomainNotVerifiedException'),
          throttles: refusal(429, 'TooManyRequestsException'),
          'answers 500': refusal(500, 'InternalServiceErrorException'),
        },
        connect: () => openSes({ ...settings, endpoint: fake.url }, CONTEXT, get),
        // The same MessageId for every repetition of a report.
        callbacks: () => fake.mails.map((mail) => sns.notify(deliveryOf(mail), { MessageId: mail.id })),
      })
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

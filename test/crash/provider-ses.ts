/** Amazon SES, which cannot be asked, and SNS, which tells under our own names what became of what SES took. */
import { openSes } from '../../src/providers/ses/ses.ts'
import { deliveryOf, openFakeSes, refusal, SES } from '../support/fake-ses.ts'
import { CERTIFICATE_URL, fakeSns, TOPIC } from '../support/sns.ts'
import { meet, PLACE } from './provider-http.ts'
import { A_MAIL, type Outside } from './provider-outside.ts'
import type { Case } from './provider-table.ts'

/** One SNS for all cases: keys take long to make. */
export async function openAmazon() {
  const sns = fakeSns()
  const get = async (url: string) => (url === CERTIFICATE_URL ? sns.certificate : undefined)
  const settings = { ...SES, topics: [TOPIC], max_per_second: 10_000 }
  return {
    async meet({ conduct }: Case): Promise<Outside> {
      const fake = await openFakeSes()
      return meet(conduct, {
        content: A_MAIL,
        fake,
        words: {
          'refuses it': refusal(400, 'MessageRejected'),
          'blames itself': refusal(400, 'MailFromDomainNotVerifiedException'),
          'asks for patience': refusal(429, 'TooManyRequestsException'),
          breaks: refusal(500, 'InternalServiceErrorException'),
        },
        connect: () => openSes({ ...settings, endpoint: fake.url }, PLACE, get),
        // The same report however often it comes.
        callbacks: () => fake.mails.map((mail) => sns.notify(deliveryOf(mail), { MessageId: mail.id })),
      })
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

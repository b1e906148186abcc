/** What the simulator's phone and mailbox have received, always the same. */
import type { EmailAddress } from '../../../src/domain/email/address.ts'
import type { Inbox, Received, ReceivedMail } from '../../../src/ports/simulator-inbox.ts'

const AT = Date.parse('2030-01-31T13:40:00Z')
const MINUTE = 60_000

const sms = (minutes: number, to: string, body: string): Received => ({
  channel: 'sms',
  to,
  from: 'Shop',
  body,
  attemptId: `attempt-${minutes}`,
  messageId: `0198c000-0000-7000-8000-00000000000${minutes}`,
  receivedAt: AT + minutes * MINUTE,
})

const MAIL: Received = {
  ...sms(5, 'ana@mail.example', 'Thank you. Your parcel arrives today.'),
  channel: 'email',
  from: 'hello@shop.example',
  subject: 'Your receipt for order A-1042',
}

const RECEIVED: readonly Received[] = [
  MAIL,
  sms(4, '+15005550123', 'Your code is 402718. It is valid for 5 minutes.'),
  sms(3, '+15005550123', 'Your parcel is on its way. It arrives today before 6 pm.'),
  sms(2, '+351911111111', 'Olá Zoë, a sua encomenda chega hoje. 🕊'),
]

const OPENED: ReceivedMail = {
  to: MAIL.to,
  from: { name: 'Shop', address: 'hello@shop.example' as EmailAddress },
  messageId: MAIL.messageId,
  receivedAt: MAIL.receivedAt,
  letter: {
    subject: 'Your receipt for order A-1042',
    html: '<h1>Thank you</h1><p>Your parcel arrives <b>today</b>.</p>',
    text: MAIL.body,
  },
  raw: Buffer.from('Subject: Your receipt for order A-1042\r\n\r\nThank you.\r\n'),
}

export const STILL_INBOX: Inbox = {
  list: async ({ to, limit }) => RECEIVED.filter((one) => to === undefined || one.to === to).slice(0, limit),
  mail: async ({ attemptId }) => (attemptId === MAIL.attemptId ? OPENED : undefined),
}

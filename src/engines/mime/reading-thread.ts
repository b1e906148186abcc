/** The thread that reads mails which arrive over SMTP. */
import { serveThread } from '../../lib/thread-rpc.ts'
import type { MailDefaults, ReadMail, UnreadableMail } from '../../ports/mail-reader.ts'
import { readMail } from './read-mail.ts'

export type MailMethods = { read: (raw: Uint8Array, defaults: MailDefaults) => ReadMail | UnreadableMail }

await serveThread<MailMethods>(() => ({ methods: { read: readMail } }), {
  niceness: 5,
  // Not its message, which could quote the mail.
  encodeError: (error) => error.name,
})

/** The magic recipients of the simulator, as documented in the README. */
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'

export type Channel = 'sms' | 'email'

const T = SIMULATOR_TEXTS.magic.lines

/** `isOnceOnly`: the address is suppressed after the first email. */
type Magic = Readonly<{ name: keyof typeof T; phone?: string; mailbox: string; isOnceOnly?: boolean }>

const MAGIC: readonly Magic[] = [
  { name: 'usual', phone: '0100', mailbox: 'ada' },
  { name: 'invalid', phone: '0001', mailbox: 'invalid' },
  { name: 'blocked', phone: '0002', mailbox: 'blocked' },
  { name: 'flaky', phone: '0003', mailbox: 'flaky' },
  { name: 'down', phone: '0004', mailbox: 'down' },
  { name: 'limbo', phone: '0005', mailbox: 'limbo' },
  { name: 'silent', phone: '0006', mailbox: 'silent' },
  { name: 'bounce', phone: '0007', mailbox: 'bounce', isOnceOnly: true },
  { name: 'noisy', phone: '0008', mailbox: 'noisy' },
  { name: 'slow', phone: '0009', mailbox: 'slow' },
  { name: 'complaint', mailbox: 'complaint', isOnceOnly: true },
]

export type MagicRecipient = Readonly<{ name: string; line: string; to: () => string }>

export const magicOf = (channel: Channel): readonly MagicRecipient[] =>
  MAGIC.flatMap(({ name, phone, mailbox, isOnceOnly }) => {
    if (channel === 'sms') return phone === undefined ? [] : [{ name, line: T[name], to: () => `+1500555${phone}` }]
    const line = name === 'bounce' ? T.bounceMail : T[name]
    return [{ name, line, to: () => toAddress(mailbox, isOnceOnly === true) }]
  })

/** A plus suffix makes a new address with the same behaviour. */
const toAddress = (mailbox: string, isOnceOnly: boolean): string =>
  `${mailbox}${isOnceOnly ? `+${Date.now().toString(36)}` : ''}@sim.pombo.test`
